// The agent of this app. It remembers what you said in this thread, and asks before it publishes.
import { agent } from 'bridle'
import * as v from 'valibot'

export const assistant = agent({
  name: 'assistant',
  description: 'Remembers what you say, and publishes it if you approve.',
  input: v.object({ prompt: v.pipe(v.string(), v.trim(), v.minLength(1)) }),
  run: async ({ input, session }) => {
    const said = (await session.messages()).filter(({ role }) => role === 'user').map(({ content }) => content)
    if (input.prompt !== 'publish') {
      for (const word of `Noted, that makes ${said.length}.`.split(/(?<= )/)) await session.text(word)
      return
    }
    const { approved, args } = await session.approval({
      subject: 'publish',
      args: { title: said[0] ?? '' },
      reason: 'Everybody will be able to read it.',
    })
    await session.text(approved ? `Published "${args.title}".` : 'Not published.')
  },
})
