import { expect, test } from 'vitest'
import { approvalKindOf } from './approval-kinds.ts'

test.each([
  ['tool', 'tool'],
  ['question', 'question'],
  ['budget', 'budget'],
  ['unknown_outcome', 'unknown_outcome'],
  [undefined, 'tool'],
  [null, 'tool'],
  ['sign_in', 'tool'],
  ['constructor', 'tool'],
])('[E19] an approval of the kind %s is shown as %s', (kind, shown) => expect(approvalKindOf(kind)).toBe(shown))
