import { expect, test } from 'vitest'
import { prettyText } from '../../ui/pretty-text.ts'
import { previewKind } from './preview-kind.ts'

test('an artifact is shown by its type, and a picture that can hold scripts as its text', () => {
  const kinds = [
    'application/json',
    'text/markdown; charset=utf-8',
    'image/png',
    'image/svg+xml',
    'audio/wav',
    'application/pdf',
    '',
  ]
  expect(kinds.map(previewKind)).toEqual(['json', 'text', 'image', 'text', 'audio', 'other', 'other'])
  expect(prettyText('{"a":1}')).toBe('{\n  "a": 1\n}')
  expect(prettyText('{"a":')).toBe('{"a":')
})
