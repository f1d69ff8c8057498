import type { JsonObject } from '@bridle/events/json'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { agent } from '../agent.ts'
import { DurableProcess, keyOf } from '../functions/durable-world.suite.ts'
import { sop } from '../sop.ts'
import { directiveSchemasProblem } from './directive-schemas.ts'

const START = 'com.example.sop.start'
const directives = { [START]: v.object({ id: v.string(), step: v.optional(v.number()) }) }
const ids = ['s1', 's2', 's3']

describe('[N77] the payload of a registered directive', () => {
  test.each([true, false])('is checked before it is in the log (durable: %s)', async (durable) => {
    const refusals: unknown[] = []
    const starter = agent({
      name: 'starter',
      durable,
      directives,
      run: async ({ session }) => {
        await session.directive({ action_type: START, payload: { id: session.id, more: true } })
        for (const payload of [{ step: 1 }, { id: 7 }, undefined] as readonly (JsonObject | undefined)[])
          await session
            .directive({ action_type: START, ...(payload && { payload }) })
            .catch((error: unknown) => refusals.push(error))
        await session
          .emit('directive' as string, { action_type: START, payload: {} })
          .catch((error) => refusals.push(error))
        // Types without a schema take any object, and core types have their own.
        await session.directive({ action_type: 'com.example.other', payload: { id: 7 } })
        await session.directive({ action_type: 'render_ui', payload: {} }).catch((error) => refusals.push(error))
      },
    })
    const process = new DurableProcess(() => [starter])
    const keys = ids.map((id) => keyOf('starter', id))
    for (const key of keys) await process.submit(key, 'go')
    for (const key of keys) {
      await process.idle(key)
      expect(await process.payloads(key, 'directive')).toEqual([
        { action_type: START, payload: { id: key.id, more: true } },
        { action_type: 'com.example.other', payload: { id: 7 } },
      ])
    }
    expect(refusals).toHaveLength(5 * ids.length)
    for (const refusal of refusals) expect(refusal).toBeInstanceOf(TypeError)
    expect(String(refusals[0])).toMatch(/^TypeError: payload: it does not fit com\.example\.sop\.start: id:/)
  })

  test('fails a procedure where it does not fit, and an asynchronous schema is refused', async () => {
    const slow = v.pipeAsync(
      v.object({}),
      v.checkAsync(async () => true),
    )
    const steps = [{ id: 'start', directive: { action_type: START, payload: { id: 7 } } }]
    const process = new DurableProcess(() => [
      sop({ id: 'wrong', steps, directives }),
      sop({ id: 'slow', steps, directives: { [START]: slow } }),
    ])
    for (const [name, message] of [
      ['wrong', 'payload: it does not fit'],
      ['slow', 'is asynchronous'],
    ] as const) {
      const key = keyOf(name, 's1')
      await process.submit(key, 'go')
      await process.idle(key)
      expect((await process.payloads(key, 'error')).map((error) => error.message)).toEqual([
        expect.stringContaining(message),
      ])
      expect(await process.payloads(key, 'directive')).toEqual([])
    }
  })
})

test.each<[unknown, string | null]>([
  [{}, null],
  [directives, null],
  [[], 'it is an object'],
  [null, 'it is an object'],
  [{ render_ui: v.object({}) }, 'render_ui is a core type'],
  [{ chart: v.object({}) }, '"chart" is no name'],
  [{ [START]: {} }, 'the schema of com.example.sop.start'],
])('[N77] schemas of directives: %o', (schemas, problem) => {
  expect(directiveSchemasProblem(schemas)).toEqual(problem === null ? null : expect.stringContaining(problem))
})

test('[N77] an agent with a model has its schemas in its tools', () => {
  expect(() => agent({ name: 'm', model: 'anthropic/claude', directives } as never)).toThrow(/directives of "m"/)
})
