"""Named models, where they lie, and how they are fetched."""
