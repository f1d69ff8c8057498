import { expect, test } from 'vitest'
import { newDraft, withText } from './argument-draft.ts'

const draft = newDraft({ p: 1 })
const second = { ...draft, edited: { p: 2 }, text: '{"p":2}' }

test.each([
  ['other arguments', draft, '{"p":3}', { p: 3 }, null],
  ['the same ones, written in another way', second, '{ "p": 1 }', null, 'Nothing is changed.'],
  ['a list', draft, '[1]', null, 'The text is not a JSON object. Edit it again with e.'],
])('[C160] an edit with %s', (_name, before, text, edited, remark) => {
  expect(withText(before, text)).toEqual({ draft: { ...before, text, edited }, remark })
})

test('[C160] a text that is no JSON is kept to be mended, and so is the edit before it', () => {
  const { draft: after, remark } = withText(second, '{"p":')
  expect(after).toEqual({ ...second, text: '{"p":' })
  expect(remark).toMatch(/^The text is not JSON: .*[^.]\. Edit it again with e\.$/)
})

test('[C160] a call without arguments is edited from an empty object', () => {
  expect(newDraft(undefined)).toEqual({ original: {}, edited: null, text: '{}' })
})
