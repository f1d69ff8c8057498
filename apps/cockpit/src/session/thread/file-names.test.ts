import { expect, test } from 'vitest'
import { fileNames } from './file-names.ts'

test.each([
  ['no input', undefined, []],
  ['an input that is no object', 'hello', []],
  ['an input without files', { prompt: 'Hello' }, []],
  ['files that are no list', { attachments: 'a.txt' }, []],
  [
    'files of the composer',
    { prompt: 'Read', attachments: [{ ref_id: 'f-1', filename: 'a.txt' }, { ref_id: 'f-2' }, null, { filename: 3 }] },
    ['a.txt', 'f-2'],
  ],
  ['files of a shell', { openharness: { attachments: [{ ref_id: 'f-1', filename: 'b.txt' }] } }, ['b.txt']],
])('%s', (_name, input, names) => {
  expect(fileNames(input)).toEqual(names)
})
