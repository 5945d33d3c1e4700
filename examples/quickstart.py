"""Ask a model three questions about one text. Usage: python quickstart.py [MODEL]"""

import sys

import steelyard
from steelyard import Choice, Noul, Score

engine = steelyard.load(sys.argv[1] if len(sys.argv) > 1 else "mini")
response = engine.decide(
    "I was charged twice this month, and nobody answers my mails. I want my money back!",
    {
        "refund": Noul("Does the customer ask for money back?"),
        "queue": Choice(
            "Which team should handle this?",
            {
                "billing": "Charges, refunds, invoices and payment methods",
                "technical": "Errors, outages, login problems and bugs",
                "sales": "Prices, offers and upgrades",
            },
        ),
        "anger": Score("How angry is the customer?", ["calm", "annoyed", "furious"]),
    },
)
print(f"refund: {response.answers['refund'].noul:.2f}")
print(f"queue:  {response.answers['queue'].choice}")
print(f"anger:  {response.answers['anger'].score:.2f} of 2")
