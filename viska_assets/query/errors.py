"""What is wrong with a question, and what to do instead."""


class QueryError(ValueError):
    """A question cannot be asked so. The message names what is wrong and the next step."""

    def __init__(self, problem: str, mend: str) -> None:
        super().__init__(f"{problem}; {mend}")
        self.problem = problem
        self.mend = mend
