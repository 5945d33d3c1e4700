"""The version of this package; the build and the audit record read it here."""

__version__ = "0.1.0"
