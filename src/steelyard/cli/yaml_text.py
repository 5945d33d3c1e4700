"""YAML read as JSON: the core schema of YAML 1.2, string keys, no key twice.

PyYAML's own schema (YAML 1.1) would turn the labels `yes`, `no` and `on` into booleans, a noul's
`true:` into a key that is no string, and dates into objects.
"""

from __future__ import annotations

import re
from collections.abc import Hashable
from typing import Any

import yaml

from steelyard.errors import RequestError
from steelyard.types.content import Json


class _Loader(yaml.SafeLoader):
    yaml_implicit_resolvers = {}  # noqa: RUF012  # without those of YAML 1.1; filled below

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Hashable, Any]:
        if not isinstance(node, yaml.MappingNode):
            raise RequestError(f"line {node.start_mark.line + 1}: tagged as a mapping and is none")
        mapping: dict[Hashable, Any] = {}
        for key, value in node.value:
            line = key.start_mark.line + 1
            if not isinstance(key, yaml.ScalarNode):
                raise RequestError(f"line {line}: a key that is no text")
            if key.value in mapping:
                raise RequestError(f"line {line}: the key {key.value!r} is given twice")
            mapping[key.value] = self.construct_object(value, deep=deep)
        return mapping


_DIGITS = "-+0123456789"
for _kind, _form, _first in (
    ("null", r"~|null|Null|NULL|", ("~", "n", "N", "")),
    ("bool", r"true|True|TRUE|false|False|FALSE", tuple("tTfF")),
    ("int", r"[-+]?(?:0|[1-9]\d*)", tuple(_DIGITS)),
    ("float", r"[-+]?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?", tuple(_DIGITS)),
):
    _Loader.add_implicit_resolver(
        f"tag:yaml.org,2002:{_kind}", re.compile(rf"(?:{_form})\Z"), _first
    )


def loads_yaml(data: bytes) -> Json:
    """The value that a YAML document spells.

    Raises:
        RequestError: no YAML in UTF-8, more than one document, a key given twice.
    """
    try:
        value: Json = yaml.load(data.decode("utf-8-sig"), Loader=_Loader)  # a kind of SafeLoader
        return value
    except UnicodeDecodeError as error:
        raise RequestError(
            f"byte {data[error.start]:#04x} at offset {error.start} is not UTF-8"
        ) from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f" at line {mark.line + 1} column {mark.column + 1}" if mark else ""
        raise RequestError(f"not YAML: {error.problem or error.context}{place}") from None
    except yaml.YAMLError as error:
        raise RequestError(f"not YAML: {' '.join(str(error).split())}") from None
    except RecursionError:
        raise RequestError("nested too deeply to be read") from None
    except ValueError as error:
        if "digits" in str(error):  # Python's bound on the digits of an integer
            raise RequestError("a number with too many digits to be read") from None
        raise RequestError(f"not YAML: {error}") from None
    except (AttributeError, KeyError, IndexError, TypeError):  # what PyYAML's constructors raise
        raise RequestError("not YAML: a value that its explicit tag does not allow") from None
