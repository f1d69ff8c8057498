// The debug page of the cockpit over a long log: the longest task while somebody scrolls through it.
import { setTimeout } from 'node:timers/promises'
import { fabricClient } from 'bridle/client'
import type { Browser, Page } from 'playwright-core'
import { openMeasured } from './cockpit-page.ts'
import { type BenchFigure, figure, interleave } from './figure.ts'

const SESSION = 'debug'
const ENTRIES = 50_000
const PARTS = 25
const TASK_TARGET_MS = 50
const LOAD_MS = 120_000
const WHEELS = 80
const WHEEL_PX = 4_000

/** Events that are a row each. */
export const fillDebugSession = async (url: string): Promise<void> => {
  const client = fabricClient({ url })
  const usage = { event: { type: 'usage', payload: { total_tokens: 7, cost_usd: 0 } } }
  const prompt = `@script ${JSON.stringify(Array.from({ length: ENTRIES / PARTS }, () => usage))}`
  for (let part = 0; part < PARTS; part++) await client.invoke('scripted', SESSION, { prompt })
}

export const measureDebug = async (browser: Browser, url: string): Promise<BenchFigure> => {
  const { page, fault } = await openMeasured(browser, new URL(`s/${SESSION}?view=debug`, url).href)
  await Promise.race([
    page.getByText(/^5\d,\d{3} events, [\d,]+ shown, tokens merged$/).waitFor({ timeout: LOAD_MS }),
    fault,
  ])
  await page.evaluate(`
    window.longest = 0
    new PerformanceObserver((list) => { for (const { duration } of list.getEntries()) longest = Math.max(longest, duration) })
      .observe({ entryTypes: ['longtask'] })`)
  const rounds = await interleave({
    debug: { run: () => Promise.race([scroll(page), fault]) },
    limit: { run: async () => ({ value: TASK_TARGET_MS, verified: true }) },
  })
  await page.context().close()
  return figure(rounds, ['debug', 'limit'], {
    id: 'C6',
    what: `ms of the longest task (0: none of 50 ms and more) while ${ENTRIES} entries of the debug page are scrolled: / 50 ms`,
    target: 1,
    better: 'lower',
  })
}

/** Down with the wheel, to the end and to the top again. Verified where the rows on the screen are those of the place. */
const scroll = async (page: Page): Promise<{ value: number; verified: boolean }> => {
  await page.evaluate('longest = 0')
  const grid = page.getByRole('grid')
  await grid.hover()
  for (let wheel = 0; wheel < WHEELS; wheel++) await page.mouse.wheel(0, WHEEL_PX)
  await grid.focus()
  await page.keyboard.press('End')
  const isFirst = await settled(page, 'document.querySelector(\'.log-rows [data-seq="1"]\') !== null')
  await page.keyboard.press('Home')
  const isTop = await settled(page, "document.querySelector('.log-table').scrollTop === 0")
  return { value: await page.evaluate<number>('longest'), verified: isFirst && isTop }
}

const settled = async (page: Page, question: string): Promise<boolean> => {
  for (let tries = 0; tries < 50; tries++) {
    if (await page.evaluate<boolean>(question)) return true
    await setTimeout(100)
  }
  return false
}
