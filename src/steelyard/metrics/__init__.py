"""Every formula that judges probabilities against outcomes."""
