import { importReceiptSchema, logPageSchema } from '@bridle/wire/http/wire/history'
import { jsonAnswer, textAnswer } from './answer-schema.ts'

export const logPageAnswer = jsonAnswer(
  '`{ session, entries, head, incarnation, next }`; pass `next` as `after` for the next page.',
  logPageSchema,
  {
    session: { id: 's1', agent: 'assistant', kind: 'chat' },
    entries: [
      { seq: 41, at: 1_700_000_000_000, type: 'turn_start', payload: { turn_id: 'r-40', prompt: 'Hello' } },
      { seq: 42, at: 1_700_000_000_005, type: 'token', run: 'r-40', attempt: 1, payload: { text: 'Hi' } },
    ],
    head: 42,
    incarnation: 1,
    next: null,
  },
)

const exportExample = [
  '{"bridle":"export","version":1,"created_by":"bridle"}',
  '{"session":{"id":"s1","agent":"assistant","kind":"chat"}}',
  '{"seq":1,"at":1700000000000,"type":"turn_start","payload":{"turn_id":"r-1","prompt":"Hello"}}',
  '{"end":{"sessions":1,"entries":1,"digest":"sha256:…"}}',
]

export const exportAnswer = textAnswer(
  'Lines of JSON: the file, each session with its events, and the digest.',
  'application/x-ndjson',
  `${exportExample.join('\n')}\n`,
)

export const importAnswer = jsonAnswer(
  '`{ sessions }`: the id of each session here, how many events of the file it has, and the settings of the file that are ignored.',
  importReceiptSchema,
  {
    sessions: [
      {
        id: 's1-2',
        agent: 'assistant',
        events: 118,
        renamed_from: 's1',
        ignored: ['permission_mode', 'workspace_mode'],
      },
    ],
  },
)
