"""Any GGUF through llama.cpp, at full depth.

A segment is computed in the sequence whose number is its depth in the tree. A branch starts as a
copy of its parent's sequence, and is removed whole when the next branch comes. So there are never
more tokens in the store than on one path, and recurrent states, which cannot drop a tail, need not.

Branches are computed one after the other, with float32 keys and values and no flash attention:
then a branch has the same bits in any company, and nearly always those of its text computed at
once. Several branches in one llama_decode were no faster on a CPU (SmolLM2-135M in Q4_1, 20
branches after 1,000 tokens: 55 tokens/s together, 59 one by one), and moved probabilities by up to
0.02: llama.cpp rounds activations to 8 bits before it multiplies quantised weights, and the order
of a sum in the attention decides which way. Flash attention rounds keys and values to float16,
whatever their type.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from steelyard.backbone import full_depth
from steelyard.backbone.full_depth import FullDepthState, Step, values, walk
from steelyard.backbone.llamacpp_binding import Model, Sequences, library
from steelyard.backbone.runtime import Context, State
from steelyard.errors import CapabilityError, ModelError, ModelFileError, UnsupportedModelError
from steelyard.tokens.plan import Batch

CELLS_STEP = 1024  # the store grows by multiples of this, so that it is seldom made anew
FIRST_SEQUENCES = 4  # root, question, option, and one to spare


class LlamaCppRuntime:
    """A model of llama.cpp behind the `Runtime` protocol, on the CPU.

    Args:
        threads: CPU threads.
        digest: sha256 of the file, hexadecimal.
    """

    name = "llamacpp"
    capabilities: frozenset[str] = frozenset()

    def __init__(self, model: Model, *, threads: int, digest: str) -> None:
        self.num_layers = model.num_layers
        self.context_tokens = model.context_tokens
        self.dtype = model.quantisation
        self.digest = digest
        self._model = model
        self._threads = threads
        self._sequences = self._room(CELLS_STEP, FIRST_SEQUENCES)

    @classmethod
    def from_file(
        cls, path: Path, *, vocab_size: int, threads: int | None = None
    ) -> LlamaCppRuntime:
        """Load a GGUF file.

        Args:
            vocab_size: of the tokenizer whose ids will be computed.
            threads: CPU threads; None for one per CPU.
        Raises:
            MissingExtraError: llama-cpp-python is not installed.
            ModelFileError: the file is missing, cut short or corrupt, or the tokenizer another's.
            UnsupportedModelError: no causal language model that llama.cpp knows.
        """
        model = Model(path)
        if not model.is_causal_lm:
            raise UnsupportedModelError(f"{path}: no causal language model")
        if model.vocab_size != vocab_size:
            raise ModelFileError(
                f"{path}: the model has {model.vocab_size:,} tokens, the tokenizer {vocab_size:,}"
            )
        with path.open("rb") as handle:
            digest = hashlib.file_digest(handle, "sha256").hexdigest()
        return cls(model, threads=threads or os.cpu_count() or 1, digest=digest)

    def start(self, batch: Batch, contexts: Sequence[Context] = ()) -> FullDepthState:
        state = full_depth.begin(self, batch, contexts)
        levels = 1 + max((step.depth for step in walk(batch)), default=0)
        most = library().llama_max_parallel_sequences()
        if levels > most:
            raise CapabilityError(
                f"a tree of {levels} levels; the llamacpp runtime holds {most} sequences at most"
            )
        return state

    def advance(self, state: State, to_layer: int) -> FullDepthState:
        return full_depth.finish(self, state, to_layer, self._compute)

    def keep(self, state: State, segments: Sequence[int]) -> FullDepthState:
        return full_depth.narrow(state, segments)

    def measure(self, state: State) -> Sequence[np.ndarray]:
        return full_depth.measured(self, state)

    def captured(self, state: State) -> Mapping[int, Context]:
        return {}

    def _compute(self, batch: Batch) -> tuple[np.ndarray, ...]:
        steps = list(walk(batch))
        self._grow(
            num_cells=max((step.start + len(step.ids) for step in steps), default=0),
            num_sequences=max((step.depth + 1 for step in steps), default=0),
        )
        open_sequences = 0

        def compute(step: Step) -> np.ndarray:
            nonlocal open_sequences
            if step.depth == 0:
                self._sequences.clear()  # the bits depend on where in the store a token lies
            else:
                for sequence in range(step.depth, open_sequences):
                    self._sequences.remove(sequence)
                self._sequences.copy(step.depth - 1, step.depth)
            open_sequences = step.depth + 1
            return self._sequences.extend(step.depth, step.ids, step.start, step.offsets)

        return values(batch, compute)

    def _grow(self, *, num_cells: int, num_sequences: int) -> None:
        """Make a larger store if this one lacks room."""
        now = self._sequences
        if num_cells > now.num_cells or num_sequences > now.num_sequences:
            now.close()  # first, for there may be no memory for both
            try:
                self._sequences = self._room(
                    max(num_cells, now.num_cells), max(num_sequences, now.num_sequences)
                )
            except ModelError:
                self._sequences = self._room(now.num_cells, now.num_sequences)
                raise

    def _room(self, num_cells: int, num_sequences: int) -> Sequences:
        return Sequences(
            self._model,
            num_cells=-(-num_cells // CELLS_STEP) * CELLS_STEP,
            num_sequences=num_sequences,
            threads=self._threads,
        )
