// An agent's text appears on a person's terminal: it must not move the cursor, set a title or ring a bell.

import { createEventPrinter } from '@bridle/cli/terminal/event-printer'
import type { CliOutput } from '@bridle/cli/terminal/output'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { holdsForAll } from './budget.ts'
import { HOSTILE_WORDS } from './hostile.ts'
import { anyText } from './json-schema.ts'
import { expectPrototypesUnchanged } from './promises.ts'

const types = [
  'prompt_start',
  'text_delta',
  'thinking_delta',
  'text_superseded',
  'tool_start',
  'tool_end',
  'task_start',
  'task_end',
  'approval_requested',
  'approval_resolved',
  'compaction',
  'checkpoint_created',
  'artifact_published',
  'result',
  'error',
  'idle',
  'reset',
]
const fields = [
  'text',
  'delta',
  'chars',
  'thinkingChars',
  'toolName',
  'args',
  'result',
  'isError',
  'taskId',
  'status',
  'approvalId',
  'subject',
  'reason',
  'decision',
  'messagesBefore',
  'summary',
  'name',
  'size',
  'message',
]
const escapes = ['\x1b[2J', '\x1b]0;title\x07', '\x1bP1$r\x1b\\', '\x9b31m', '\b\b', '\r', '\x7f', '\u202e', '\x00']
const said = fc.oneof(
  fc.constantFrom(...escapes, ...HOSTILE_WORDS),
  fc.array(fc.constantFrom(...escapes, 'a', '\n', ' '), { maxLength: 8 }).map((parts) => parts.join('')),
  anyText,
)
const value = fc.oneof(
  said,
  fc.constant({ toString: 1, valueOf: 1 }),
  fc.jsonValue({ maxDepth: 2 }),
  fc.dictionary(said, said, { maxKeys: 3 }),
)
const event = fc.record({
  type: fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...types) }, said),
  sessionId: fc.constantFrom('s1', ...HOSTILE_WORDS),
  data: fc.dictionary(fc.constantFrom(...fields), value, { maxKeys: 8 }),
})

test('no event puts a control character on the terminal', async () => {
  await holdsForAll(fc.tuple(fc.array(event, { minLength: 1, maxLength: 5 }), fc.boolean(), fc.boolean()), (input) => {
    const [events, withPrompts, withHints] = input
    let screen = ''
    const out: CliOutput = {
      isJson: false,
      canAsk: true,
      width: 80,
      write: (text) => {
        screen += text
      },
      line: (text) => {
        screen += `${text}\n`
      },
      row: () => {},
      note: () => {},
      style: (_format, text) => text,
    }
    const printer = createEventPrinter(out, { withPrompts, withHints })
    // As they come from a server: parsed from text.
    for (const each of JSON.parse(JSON.stringify(events)) as typeof events) printer.print(each)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there.
    expect(screen.replaceAll('\r\n', '\n')).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/)
    expectPrototypesUnchanged()
  })
})
