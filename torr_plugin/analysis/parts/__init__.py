"""Figures of parts of a cube: serializers, perturbations, single configurations."""
