// Placeholder so that the package resolves.
