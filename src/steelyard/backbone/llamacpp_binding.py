"""The part of llama.cpp's C interface that we use, through llama-cpp-python."""

from __future__ import annotations

import ctypes
import functools
import importlib
import logging
import os
import weakref
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import numpy as np

from steelyard.errors import (
    MissingExtraError,
    ModelError,
    ModelFileError,
    UnsupportedModelError,
)

logger = logging.getLogger(__name__)

BATCH_TOKENS = 256  # of one llama_decode, which holds memory for the logits of as many tokens
LOG_WARN, LOG_ERROR = 3, 4  # of ggml_log_level

_complaints: deque[str] = deque(maxlen=8)  # llama.cpp's functions say that they failed, not why


class Model:
    """A GGUF file in memory, on the CPU.

    Attributes:
        quantisation: in llama.cpp's words, such as "Q4_1" or "all F32".
    Raises:
        MissingExtraError: llama-cpp-python is not installed.
        ModelFileError: the file is missing, cut short or corrupt.
        UnsupportedModelError: llama.cpp does not know the architecture.
    """

    def __init__(self, path: Path) -> None:
        lib = library()
        params = lib.llama_model_default_params()
        params.n_gpu_layers = 0
        params.check_tensors = True
        # Weights repacked for AMX end the process in virtual machines that announce AMX but trap.
        params.use_extra_bufts = False
        _complaints.clear()
        self.handle: int | None = lib.llama_model_load_from_file(os.fsencode(path), params)
        if self.handle is None:
            reason = _reason()
            unknown = "unknown model architecture" in reason
            kind = UnsupportedModelError if unknown else ModelFileError
            raise kind(f"{path}: llama.cpp cannot load it: {reason}")
        weakref.finalize(self, lib.llama_model_free, self.handle)
        self.num_layers: int = lib.llama_model_n_layer(self.handle)
        self.context_tokens: int = lib.llama_model_n_ctx_train(self.handle)
        self.vocab_size: int = lib.llama_vocab_n_tokens(lib.llama_model_get_vocab(self.handle))
        kind = lib.llama_ftype_name(lib.llama_model_ftype(self.handle)).decode()
        self.quantisation: str = kind.removeprefix("(guessed) ")
        self.is_causal_lm: bool = (
            lib.llama_model_has_decoder(self.handle)
            and not lib.llama_model_has_encoder(self.handle)
            and not lib.llama_model_is_diffusion(self.handle)
        )


class Sequences:
    """Numbered runs of tokens that a model has read, in a common store of `num_cells` tokens.

    A copied run shares the cells of the original. `close()` gives the memory back at once.

    Raises:
        ModelError: llama.cpp cannot make it, mostly for want of memory.
        UnsupportedModelError: a model that keeps nothing of what it has read.
    """

    def __init__(self, model: Model, *, num_cells: int, num_sequences: int, threads: int) -> None:
        lib = library()
        params = lib.llama_context_default_params()
        params.n_ctx = num_cells
        params.n_seq_max = num_sequences
        params.n_batch = params.n_ubatch = BATCH_TOKENS
        params.n_threads = params.n_threads_batch = threads
        params.kv_unified = True
        params.swa_full = True  # a sliding window that forgets cannot be copied
        params.type_k = params.type_v = lib.GGML_TYPE_F32
        params.flash_attn_type = lib.LLAMA_FLASH_ATTN_TYPE_DISABLED
        params.offload_kqv = params.op_offload = False
        params.no_perf = True
        _complaints.clear()
        context: int | None = lib.llama_init_from_model(model.handle, params)
        if context is None:
            raise ModelError(
                f"llama.cpp cannot hold {num_cells:,} tokens of this model: {_reason()}"
            )
        self.num_cells = num_cells
        self.num_sequences = num_sequences
        self._model = model  # which must outlive the context
        self._context = context
        self._batch = lib.llama_batch_init(BATCH_TOKENS, 0, 1)
        self.close = weakref.finalize(self, _free, context, self._batch)
        self._memory: int | None = lib.llama_get_memory(context)
        if self._memory is None:
            raise UnsupportedModelError("a model that reads whole texts only, no continuations")

    def clear(self) -> None:
        """Forget everything."""
        library().llama_memory_clear(self._memory, False)

    def remove(self, sequence: int) -> None:
        """Forget one sequence; what others share of it stays."""
        library().llama_memory_seq_rm(self._memory, sequence, -1, -1)

    def copy(self, source: int, target: int) -> None:
        """Make the empty sequence `target` a copy of `source`."""
        library().llama_memory_seq_cp(self._memory, source, target, -1, -1)

    def extend(
        self, sequence: int, ids: np.ndarray, start: int, offsets: Sequence[int]
    ) -> np.ndarray:
        """Append `ids`, which begin at position `start`.

        Args:
            offsets: where the next token's logits are wanted; ascending.
        Returns:
            float32 (offsets, vocabulary).
        Raises:
            ModelError: llama.cpp reports a failure.
        """
        lib = library()
        logits = np.empty((len(offsets), self._model.vocab_size), dtype=np.float32)
        for begin in range(0, len(ids), BATCH_TOKENS):
            chunk = ids[begin : begin + BATCH_TOKENS].tolist()
            wanted = [
                (row, offset - begin)
                for row, offset in enumerate(offsets)
                if begin <= offset < begin + len(chunk)
            ]
            self._batch.n_tokens = len(chunk)
            for i, token in enumerate(chunk):
                self._batch.token[i] = token
                self._batch.pos[i] = start + begin + i
                self._batch.n_seq_id[i] = 1
                self._batch.seq_id[i][0] = sequence
                self._batch.logits[i] = 0
            for _, i in wanted:
                self._batch.logits[i] = 1
            _complaints.clear()
            code = lib.llama_decode(self._context, self._batch)
            if code != 0:
                raise ModelError(f"llama.cpp failed with code {code}: {_reason()}")
            for row, i in wanted:
                pointer = lib.llama_get_logits_ith(self._context, i)
                logits[row] = np.ctypeslib.as_array(pointer, (self._model.vocab_size,))
        return logits


@functools.cache
def library() -> ModuleType:
    """llama-cpp-python's module of C functions, ready for use and silent.

    Raises:
        MissingExtraError: it is not installed.
    """
    try:
        lib = importlib.import_module("llama_cpp")
    except ModuleNotFoundError as error:
        raise MissingExtraError("llama-cpp-python", "llamacpp") from error

    @lib.llama_log_callback  # type: ignore[untyped-decorator]
    def log(level: int, text: bytes, _: object) -> None:
        message = text.decode(errors="replace").strip()
        if level in (LOG_WARN, LOG_ERROR):
            _complaints.append(message)
        if message:
            logger.debug("%s", message)

    lib.llama_log_set(log, ctypes.c_void_p(0))
    _alive.append(log)
    lib.llama_backend_init()
    return lib


_alive: list[object] = []  # callbacks, which C holds no reference to


def _free(context: int, batch: object) -> None:
    library().llama_free(context)
    library().llama_batch_free(batch)


def _reason() -> str:
    return "; ".join(_complaints) or "it gives no reason"
