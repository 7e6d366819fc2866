"""How well texts and pictures fit each other, as a model judges that projects both into one space (Radford et al. 2021,
figure 3)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.analysis.maps import Numbers
from core.blocks import SharedSpace
from core.errors import CoreError
from core.tracing import Trace


def matches(text: Trace, pictures: Sequence[Trace], texts: Sequence[Trace] = ()) -> Numbers:
    """Return the logits of pictures against texts [picture, text]: the cosine of both directions, scaled as learned.

    `text` is the first of the texts. A softmax over a row says which text a picture goes with.

    Raises:
        CoreError: `no_output` for a model that does not compare texts with pictures.
    """
    head = text.model.network.output
    if not isinstance(head, SharedSpace) or head.logit_scale is None:
        raise CoreError("no_output", name=text.model.name)
    seen = np.concatenate([picture.logits() for picture in pictures])
    said = np.concatenate([one.logits() for one in (text, *texts)])
    found: Numbers = seen @ said.T * float(head.logit_scale.exp())
    return found
