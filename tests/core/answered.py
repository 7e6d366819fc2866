"""What a replica's answer is to whoever asked from afar, without a cluster between them."""


class Answer:
    """An answer that is computed when it is taken."""

    def __init__(self, found):
        self.found = found

    def result(self, timeout_s):
        return self.found()

    def results(self, timeout_s, return_exceptions):
        return self.found()
