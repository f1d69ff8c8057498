import { expect, test } from 'vitest'
import { approvalLines } from './approval-text.ts'
import { displayWidth } from './display-width.ts'
import { escapeInvisible } from './text-lines.ts'

const reason = 'It runs a command that nobody has run before, in the folder of the project, and it may take a while.'
const requests = [
  {
    subject: 'bash',
    args: {
      command: `cd packages/bridle && npm run build && node --conditions=source bench/main.ts kernel${' '.repeat(150)}&& rm -rf /important/folder`,
    },
    reason,
  },
  {
    subject: 'write_file',
    args: { path: 'a.ts', content: `${'x'.repeat(333)}\nconst 你好 = "世界你好世界"\n\t`.repeat(9) },
    reason,
  },
  {
    subject: '削除',
    args: { 対象: '全部のファイル'.repeat(30), mark: '🐎🔥e\u0301'.repeat(40) },
    reason: '理由'.repeat(60),
  },
  {
    subject: 'go\u001b[2J\r\n? other',
    args: { a: '\u001b[1A\u001b[2K\u007f\u009b31m\r', b: 'rm \u202egpj.exe \u200b\u2066x\u2069' },
    reason: 'ok\u001b[8m',
  },
  {
    subject: 'hidden',
    args: { a: '\u{e0041}\u3164\u00a0\u2028\ufeff\u115f\u2800', b: '\ud800', c: '👨\u200d👩', d: '\\u001b' },
    reason,
  },
]

test.each([40, 80, 100])(
  '[C21] at %i columns every character of an approval is on the screen, and none is invisible',
  (width) => {
    for (const request of requests) {
      const lines = approvalLines(request, width)
      for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(width)
      for (const line of lines) expect(line).not.toMatch(/[\p{C}\p{Zl}\p{Zp}\u00a0\u2800\u3164\u115f]/u)
      const call = lines
        .filter((line) => /^[?│] /.test(line))
        .map((line) => line.slice(2))
        .join('')
      const subject = escapeInvisible(request.subject)
      expect(call.slice(0, subject.length + 1)).toBe(`${subject} `)
      expect(JSON.parse(call.slice(subject.length + 1))).toEqual(request.args)
      const why = lines
        .filter((line) => line.startsWith('  '))
        .map((line) => line.slice(10))
        .join('')
      expect(why).toBe(escapeInvisible(request.reason))
      // The rest of the screen is ours: nothing begins a line that the agent wrote.
      expect(lines.filter((line) => line.startsWith('?'))).toHaveLength(1)
      expect(lines.filter((line) => line.startsWith('  Reason: '))).toHaveLength(1)
    }
  },
)

test.each<[string, string]>([
  ['\u001b[2K', '\\u001b[2K'],
  ['a\tb\nc', 'a\\tb\\nc'],
  ['rm \u202egpj', 'rm \\u202egpj'],
  ['\u{e0041}', '\\udb40\\udc41'],
  ['a\u00a0b', 'a\\u00a0b'],
  ['e\u0301 世界 🐎', 'e\u0301 世界 🐎'],
])('[C21] %j is shown as %j', (text, shown) => expect(escapeInvisible(text)).toBe(shown))

test('[C21] a short approval takes one line, and its reason the next', () => {
  expect(approvalLines({ subject: 'write', args: { p: 1 }, reason: 'why' }, 40)).toEqual([
    '? write {"p":1}',
    '  Reason: why',
  ])
  expect(approvalLines({ subject: 'go', args: {} }, 40)).toEqual(['? go'])
  expect(approvalLines({ subject: 'go', reason: 'why', child: { agent: 'desk.clerk', id: 'task-1' } }, 40)).toEqual([
    '? go',
    '  Reason: why',
    '  Asked by desk.clerk, session task-1',
  ])
  // A word was promised; an object is shown all the same.
  expect(approvalLines({ subject: { toString: 1 }, args: [1], reason: null }, 40)).toEqual(['? {"toString":1} [1]'])
})
