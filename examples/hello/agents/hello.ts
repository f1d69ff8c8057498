// The smallest agent that does something: it greets, word by word, and returns nothing, so its text is the result.
import { agent } from 'bridle'
import * as v from 'valibot'

export default agent({
  name: 'hello',
  description: 'Greets whoever is named in the prompt.',
  input: v.object({ prompt: v.pipe(v.string(), v.trim(), v.minLength(1)) }),
  run: async ({ input, session }) => {
    for (const word of ['Hello, ', input.prompt, '! ', 'Nice ', 'to ', 'meet ', 'you.']) await session.text(word)
  },
})
