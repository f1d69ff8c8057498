import assert from 'node:assert/strict'
import { test } from 'node:test'
import { total } from './total.js'

test('adds all prices', () => assert.equal(total([1, 2, 3]), 6))
test('takes a discount', () => assert.equal(total([50, 50], 10), 90))
