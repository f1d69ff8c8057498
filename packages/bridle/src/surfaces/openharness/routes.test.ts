// The routes of OpenHarness, asked through a whole app.
import { expect, test } from 'vitest'
import { testApp } from '../http/test-app.suite.ts'
import { messageSchema } from './definitions.ts'

test('[OH1] the schema is published', async () => {
  const { status, body } = await testApp().get('/v1/openharness/schema')
  expect([status, body]).toEqual([200, messageSchema()])
})
