// A question whose answer is a text of the user: an approval whose `answer` the user writes, so that it waits, survives and is answered
// like any other, on every wire.

/** The subject of such a question. No model can call a tool with a dot in its name. */
export const INPUT_SUBJECT = 'user.input'
