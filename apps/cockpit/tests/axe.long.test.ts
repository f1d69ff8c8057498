// Every page as a checker of accessibility sees it, in both themes and on a phone, and none wider than its window.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
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
