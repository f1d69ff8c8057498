// Every page as a checker of accessibility sees it, in both themes and on a phone, and none wider than its window.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startRealtimeStub } from '@bridle/voice/realtime/openai/realtime-stub.suite'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fetchPinned } from '../../../scripts/pinned-tools.ts'
import { describeCockpit, expectNoOverflow } from './browser.suite.ts'
import { stories } from './filled/stories.suite.ts'
import { firstRun, inEachLook, signIn, views } from './filled/views.suite.ts'
import { fill } from './filled/world.suite.ts'

let axe = ''
beforeAll(() => {
  const fetched = fetchPinned('matrix/axe', 'axe')
  if ('missing' in fetched) throw new Error(fetched.missing)
  axe = readFileSync(join(fetched.folder, 'node_modules/axe-core/axe.min.js'), 'utf8')
})

interface AxeViolation {
  readonly id: string
  readonly help: string
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary: string }[]
}

/** The levels of the headings in an answer are its writer's. */
const CHECK = `axe.run({ elementRef: true }).then(({ violations }) => violations.map(({ id, help, nodes }) => ({ id, help, nodes: nodes
  .filter(({ element }) => id !== 'heading-order' || element.closest('.msg') === null)
  .map(({ target, failureSummary }) => ({ target, failureSummary })) })))`

/** The elements that break a rule, a line for each. */
const violations = async (page: Page): Promise<readonly string[]> => {
  // The side bar may have the text that a view waits for before the page itself is loaded.
  await page.locator('h1').first().waitFor({ state: 'attached' })
  // The policy of the page forbids scripts of others in it; the browser itself may run one.
  await page.evaluate(`${axe}; undefined`)
  const found: readonly AxeViolation[] = await page.evaluate(CHECK)
  return found.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} (${help}) ${target.join(' ')}: ${failureSummary}`),
  )
}

describeCockpit(
  'every page',
  (world) => {
    beforeAll(() => fill(world))
    test.for(views)('$name', async (view) => {
      const found: string[] = []
      await inEachLook(world, view, async (page, look) => {
        await expectNoOverflow(page)
        found.push(...(await violations(page)).map((line) => `${look}: ${line}`))
      })
      expect(found).toEqual([])
    })
  },
  { agents: stories },
)

describeCockpit('a server without sessions', (world) => {
  test(firstRun.name, async () => {
    await inEachLook(world, firstRun, async (page) => {
      await expectNoOverflow(page)
      expect(await violations(page)).toEqual([])
    })
  })
})

describeCockpit(
  'a server with a token',
  (world) => {
    test(signIn.name, async () => {
      await inEachLook(world, signIn, async (page) => {
        await expectNoOverflow(page)
        expect(await violations(page)).toEqual([])
      })
    })
  },
  { authToken: 'a-token-for-axe' },
)

describeCockpit(
  'a server in production',
  (world) => {
    test.for(['/try', '/try/triage'])('private agents at %s', async (path) => {
      const ready = (page: Page) => page.getByText('Private').first().waitFor()
      await inEachLook(world, { name: path, path, ready }, async (page) => {
        await expectNoOverflow(page)
        expect(await violations(page)).toEqual([])
      })
    })
  },
  { agents: stories, env: { NODE_ENV: 'production' } },
)

/** A minute of an answer: the bar speaks while it is looked at. */
const spoken = {
  heard: 'Hello?',
  says: 'I speak for a minute.',
  audio: Buffer.alloc(60_000 * 48, 1),
  chunkBytes: 576_000,
}
const provider = await startRealtimeStub({ plan: () => spoken })
afterAll(() => provider.close())

describeCockpit(
  'the bar of voice',
  (world) => {
    const talk = async (page: Page, phase: string) => {
      const button = page.getByRole('button', { name: 'Hold to talk' })
      // The page is looked at several times, and the bar stays as it is.
      if ((await page.getByRole('region', { name: 'Voice' }).count()) === 0) {
        const { x, y } = (await button.boundingBox())!
        await page.mouse.move(x + 5, y + 5)
        await page.mouse.down()
        await page.locator('.voice-phase', { hasText: 'Hearing you' }).waitFor()
        const { length } = provider.events('input_audio_buffer.append')
        await expect.poll(() => provider.events('input_audio_buffer.append').length).toBeGreaterThan(length + 10)
        if (phase === 'Speaking') await page.mouse.up()
      }
      await page.locator('.voice-phase', { hasText: phase }).waitFor()
    }
    test.for([
      ['held', (page: Page) => talk(page, 'Hearing you')],
      ['speaking', (page: Page) => talk(page, 'Speaking')],
      [
        'problem',
        async (page: Page) => {
          const alert = page.getByRole('alert').getByText('The microphone is blocked for this page.')
          if ((await alert.count()) === 0) await page.getByRole('button', { name: 'Hold to talk' }).click()
          await alert.waitFor()
        },
      ],
    ] as const)('%s', async ([name, ready]) => {
      await world.client.createChat({ agent: 'voice', session_id: name })
      const permissions = name === 'problem' ? [] : ['microphone']
      const found: string[] = []
      await inEachLook(
        world,
        { name, path: `/s/${name}`, ready },
        async (page, look) => {
          await expectNoOverflow(page)
          found.push(...(await violations(page)).map((line) => `${look}: ${line}`))
        },
        { permissions },
      )
      expect(found).toEqual([])
    })
  },
  { env: { OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: provider.url, NODE_ENV: 'test' } },
  ['--use-fake-device-for-media-stream', '--autoplay-policy=no-user-gesture-required'],
)
