// Keeps notes. It reads them as it likes and writes only with your word; no key, no network.
import { setTimeout as sleep } from 'node:timers/promises'
import { agent, ToolDenied } from 'bridle'
import * as v from 'valibot'

const notes: string[] = ['The page and the server meet at /ws.']

export default agent({
  name: 'notes',
  description: 'Keeps notes, with your word.',
  input: v.object({ prompt: v.pipe(v.string(), v.trim(), v.nonEmpty()) }),
  run: async ({ input, session, signal }) => {
    const { prompt } = input
    const say = async (text: string) => {
      for (const word of text.split(/(?<=\s)/)) {
        await session.text(word)
        await sleep(25, undefined, { signal })
      }
    }
    await session.thinking(`Is "${prompt.slice(0, 60)}" something to remember?`)
    const known = await session.tool('read_notes', {}, () => [...notes], { effect: 'pure' })
    const asked = /^(?:remember|note)\b[:,]?\s*(.+)/is.exec(prompt)?.[1]
    if (asked === undefined) {
      const list = known.map((note) => `- ${note}`).join('\n')
      return say(`So far I have ${known.length === 1 ? 'one note' : `${known.length} notes`}:\n\n${list}\n\n${help}`)
    }
    await say('I would write that down. ')
    try {
      const written = await session.tool('write_note', { text: asked }, ({ text }) => notes.push(text) && text, {
        effect: 'idempotent',
        approve: { reason: 'Notes stay until the server ends.' },
      })
      await say(`Noted: **${written}**`)
    } catch (error) {
      if (!(error instanceof ToolDenied)) throw error
      await say('Then I will forget it.')
    }
  },
})

const help =
  'Say `remember …` and I ask before I write. Close this page in the middle of an answer, or cut the network: ' +
  'the run goes on, and when you are back the answer is here.'
