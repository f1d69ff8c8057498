// Directives of a durable function that begins again.

import type { JsonObject } from '@bridle/events/json'
import { flushPending } from '@bridle/kernel/host/host.suite'
import { expect, test } from 'vitest'
import { agent } from '../agent.ts'
import { NativeWorld } from '../in-process/native.suite.ts'
import { DurableProcess, keyOf } from './durable-world.suite.ts'

const keys = [keyOf('clerk', 's1'), keyOf('clerk', 's2'), keyOf('clerk', 's3')]
const page = (n: number) => ({ action_type: 'render_ui', payload: { component: 'Page', data: { n } } })

test('[N70] a function that begins again does not repeat its directives, and equal ones count each', async () => {
  const first = new DurableProcess(() => [
    agent({
      name: 'clerk',
      run: async ({ session }) => {
        await session.directive(page(1))
        await session.directive(page(1))
        await session.approval({ subject: 'go on', reason: 'A person decides.' })
        await session.directive(page(1))
        await session.directive({ action_type: 'noop', priority: 'low' })
      },
    }),
  ])
  for (const key of keys) await first.submit(key, 'go')
  for (const key of keys) await first.approval(key)
  const second = await first.next()
  for (const key of keys) await second.approve(key)
  await flushPending()
  for (const key of keys) {
    await second.idle(key)
    expect(await second.payloads(key, 'directive')).toEqual([
      ...[page(1), page(1), page(1)],
      { action_type: 'noop', priority: 'low' },
    ])
  }
})

test.each([true, false])('[N71] a wrong payload throws with its field, durable: %s', async (durable) => {
  const world = new NativeWorld(
    agent({
      name: 'tested',
      durable,
      run: async ({ session }) => {
        const problems: string[] = []
        for (const payload of [{}, { text: 7 }] as JsonObject[])
          await session
            .directive({ action_type: 'render_message', payload })
            .catch((error: Error) => problems.push(`${error.name} ${error.message.split(':')[0]}`))
        return problems
      },
    }),
  )
  await world.run()
  expect(await world.payloads('directive')).toEqual([])
  expect((await world.payloads('completed'))[0]?.result).toEqual(Array(2).fill('TypeError payload.text'))
})
