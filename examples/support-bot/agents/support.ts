// Answers questions from the articles of a shop, says where it read them, and hands over to a person where it cannot help.
import { agent, retrieval, tool } from 'bridle'
import * as v from 'valibot'
import { model } from '../model.ts'
import { searchArticles } from '../shelf.ts'
import { openTicket } from '../tickets.ts'

export default agent({
  name: 'support',
  description: 'Answers questions about orders, and hands over to a person.',
  triggers: { webhook: true },
  model,
  instructions: `You answer customers of a lamp shop, in one or two sentences.
Use the documents that you are given, and name the id of the one that you used in square brackets, like [returns].
If they have no answer, or the customer wants a person, call hand_over.`,
  use: [retrieval({ search: (query, { limit }) => searchArticles(query, limit) })],
  tools: [
    tool({
      name: 'hand_over',
      description: 'Opens a ticket for a person. Somebody of the team reads the summary first, and may change it.',
      input: v.object({ summary: v.pipe(v.string(), v.minLength(1)) }),
      effect: 'idempotent',
      approve: ({ summary }) => ({ reason: `A customer needs a person: ${summary}` }),
      run: ({ summary }, { stepKey }) => openTicket(summary, stepKey),
    }),
  ],
})
