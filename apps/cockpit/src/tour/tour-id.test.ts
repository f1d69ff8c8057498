import { expect, test } from 'vitest'
import { isTourId, newTourId } from './tour-id.ts'

test.each([
  [newTourId(), true],
  ['tour-', false],
  ['tour-1', false],
  ['tour-of-the-garden', false],
  ['tour-de-france-2026-11', false],
  [`my-${newTourId()}`, false],
  [`${newTourId()}-2`, false],
])('%s is a session of the tour: %s', (id, isTour) => expect(isTourId(id)).toBe(isTour))
