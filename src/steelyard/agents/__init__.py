"""Decisions as a tool for agents, in the forms that their frameworks take."""
