import { expect, test } from 'vitest'
import { assert } from './assert.ts'

test.each([true, 1, 'text', {}])('%j holds', (value) => {
  expect(assert(value, 'the value is there')).toBeUndefined()
})

test.each([false, 0, '', null, undefined])('%j does not hold', (value) => {
  expect(() => assert(value, 'the value is there')).toThrow('Broken invariant: the value is there.')
})
