import { expect, test } from 'vitest'
import { draftText, fieldsDraft, jsonDraft, parseDraft, withField } from './argument-fields.ts'

const args = { command: 'set -e\nnpm test\n', retries: 3, env: { CI: '1' }, note: '"quoted" \\n', hidden: 'a\u202eb' }

test('a text is plain text with its line ends, the rest is JSON, and a text with hidden characters has escapes', () => {
  const draft = fieldsDraft(args)
  expect(draft).toEqual({
    look: 'fields',
    fields: [
      { key: 'command', kind: 'text', text: 'set -e\nnpm test\n' },
      { key: 'retries', kind: 'json', text: '3' },
      { key: 'env', kind: 'json', text: '{\n  "CI": "1"\n}' },
      { key: 'note', kind: 'text', text: '"quoted" \\n' },
      { key: 'hidden', kind: 'json', text: '"a\\u202eb"' },
    ],
  })
  expect(parseDraft(draft)).toEqual({ args, problem: null })
  expect(parseDraft(jsonDraft(args))).toEqual({ args, problem: null })
})

test.each(['a\r\nb', 'a\u0000b', 'a\u00a0b', 'שלום', '\ud800'])('%j is no plain text', (text) => {
  const draft = fieldsDraft({ text })
  expect(draft.look === 'fields' && draft.fields[0]?.kind).toBe('json')
  expect(parseDraft(draft).args).toEqual({ text })
})

test('an edit of one field leaves the others, and a mistake names its field', () => {
  const edited = withField(fieldsDraft(args), 'command', 'one\ntwo "three"')
  expect(parseDraft(edited).args).toEqual({ ...args, command: 'one\ntwo "three"' })
  const wrong = withField(edited, 'env', '{\n  "CI": }')
  expect(parseDraft(wrong).problem).toMatchObject({ key: 'env', line: 2 })
  expect(draftText(wrong)).toContain('env: {')
  expect(JSON.parse(draftText(edited)).command).toBe('one\ntwo "three"')
})

test('the whole object may get other keys, and stays an object', () => {
  expect(parseDraft({ look: 'json', text: '{"a":1}' }).args).toEqual({ a: 1 })
  expect(parseDraft({ look: 'json', text: '[1]' }).problem).toMatchObject({ key: null, line: 1 })
  expect(parseDraft({ look: 'json', text: '{' }).problem).toMatchObject({ key: null })
  const own = JSON.parse('{"__proto__":{"a":1}}')
  expect(Object.keys(parseDraft(fieldsDraft(own)).args ?? {})).toEqual(['__proto__'])
})
