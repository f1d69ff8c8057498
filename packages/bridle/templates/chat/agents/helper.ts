// Your agent. `npm run dev` serves it, and takes up every change of this file.
import { appendFile } from 'node:fs/promises'
import { agent, tool } from 'bridle'
import * as v from 'valibot'
import { model } from '../model.ts'

// The model may call this tool. A person approves each call first, and may change its arguments.
const sendNote = tool({
  name: 'send_note',
  description: 'Sends a short note to a person.',
  input: v.object({ to: v.string(), text: v.string() }),
  approve: { reason: 'The note goes out in your name.' },
  run: async ({ to, text }) => {
    await appendFile('outbox.txt', `to ${to}: ${text}\n`)
    return `The note to ${to} is in outbox.txt.`
  },
})

export default agent({
  name: 'helper',
  description: 'Remembers what you say, and sends notes for you.',
  instructions: 'You are a friendly helper. Answer in a sentence or two. Use send_note to send notes.',
  // The model reads the whole conversation of the session, so it remembers.
  model,
  tools: [sendNote],
})
