// Search or run: every action, event, approval, session and agent from one field.
import type { Page } from 'playwright-core'
import { beforeAll, expect, test, vi } from 'vitest'
import { ACTION_IDS, type ActionId } from '../src/actions/action-table.ts'
import { describeCockpit, expectNoOverflow, longTest } from './browser.suite.ts'

/**
 * Actions of which the world of this file has no case: they need a token, an engine that speaks or remembers, or a browser that notifies. That
 * some part of the app offers each of them is shown by the table's own test.
 */
const ELSEWHERE: readonly ActionId[] = [
  'tenant.choose',
  'user.sign_out',
  'voice.hands_free',
  'voice.end',
  'memory.accept',
  'memory.reject',
  'inbox.notify',
]

const openPalette = async (page: Page) => {
  await page.keyboard.press('Control+k')
  const palette = page.getByRole('dialog', { name: 'Search or run' })
  await palette.getByRole('combobox').waitFor()
  return palette
}

/** The actions of the palette's rows. */
const offeredOn = async (page: Page): Promise<string[]> => {
  const palette = await openPalette(page)
  await palette.getByRole('option').first().waitFor()
  const ids = await page.evaluate<string[]>(
    "[...document.querySelectorAll('[data-action]')].map((row) => row.dataset.action)",
  )
  await page.keyboard.press('Escape')
  await palette.waitFor({ state: 'detached' })
  return ids
}

const waiting = [
  { text: 'I will ask.' },
  { checkpoint: 'asked' },
  { approve: 'write_file', id: 'call-1', args: { path: 'a.txt', text: 'b' } },
  { text: 'Done.' },
]

describeCockpit('the palette', (world) => {
  beforeAll(async () => {
    for (const id of ['one', 'two', 'three']) await world.ask('scripted', id, `Hello from ${id}`)
    for (const id of ['waits', 'rests']) await world.play(id, waiting)
    await vi.waitUntil(async () => (await world.client.approvals()).approvals.length === 2, { timeout: 10_000 })
  })

  longTest('[C63] [C65] a command exists for every action, on the pages that can do it', async () => {
    await world.client.archive('two')
    // Refused where this test is tried once more.
    await world.client.pause('rests').catch(() => {})
    const offered = new Set<string>()
    const collect = async (): Promise<void> => {
      for (const id of await offeredOn(page)) offered.add(id)
    }
    const page = await world.open('/?archived=all')
    for (const id of ['one', 'two', 'waits', 'rests'])
      await page.locator(`[data-row="scripted/${id}"]`).getByRole('checkbox').check()
    await collect()

    await page.goto(`${world.url}/s/waits?agent=scripted&tab=health`)
    await page
      .getByRole('button', { name: /^Approve/ })
      .first()
      .waitFor()
    await page.getByLabel('Message').fill('And then this.')
    await page.keyboard.press('Enter')
    await page.getByText('Next', { exact: true }).waitFor()
    await page.getByLabel('Message').fill('Look at this, too.')
    await collect()
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await page.getByRole('button', { name: 'Discard edits' }).waitFor()
    await collect()

    const question = { ask: 'Which?', id: 'which', options: ['a', 'b'], multi_select: true, default: ['a'] }
    await world.play('asks', [question])
    await page.goto(`${world.url}/s/asks?agent=scripted`)
    await page.getByRole('button', { name: 'Answer with 1' }).and(page.locator(':enabled')).waitFor()
    await collect()
    await world.client.remove('scripted', 'asks')

    await page.goto(`${world.url}/s/rests?agent=scripted`)
    await page.getByRole('button', { name: 'Resume' }).waitFor()
    await collect()
    await page.goto(`${world.url}/s/two?agent=scripted`)
    await page.getByLabel('Message').waitFor()
    await collect()
    await page.goto(`${world.url}/s/one?agent=scripted&view=debug&event=3`)
    await page.getByRole('button', { name: 'Branch here' }).waitFor()
    await collect()
    await page.goto(`${world.url}/s/waits?agent=scripted&view=timeline&call=call-1`)
    await page
      .getByRole('button', { name: /^Fit|whole/ })
      .first()
      .waitFor()
    await collect()
    // A part of the time can be moved. A key that comes while the palette closes does nothing.
    const zoomIn = async () => {
      await page.keyboard.press('+')
      await collect()
      return offered.has('timeline.earlier')
    }
    await expect.poll(zoomIn, { timeout: 30_000 }).toBe(true)
    await page.keyboard.press('ArrowDown')
    await collect()
    const made = await world.client.branch('one', { agent: 'scripted', from_event_id: 'ev-4' })
    await world.ask('scripted', made.id, 'Another way from one')
    await page.goto(`${world.url}/s/one?agent=scripted&view=branches&a=one&b=${made.id}`)
    await page.getByRole('table', { name: 'In numbers' }).waitFor()
    await collect()
    await page.goto(`${world.url}/s/waits?agent=scripted&at=4`)
    await page.getByText('Back to live').first().waitFor()
    await page.getByLabel('Message for a branch').fill('Another way.')
    await collect()
    expect(ACTION_IDS.filter((id) => !offered.has(id) && !ELSEWHERE.includes(id))).toEqual(['palette.open'])
    await page.close()
  })

  test('[C65] finds actions, sessions, agents, approvals and events, and runs what is chosen', async () => {
    const page = await world.open('/s/waits?agent=scripted')
    await page.getByLabel('Message').waitFor()
    const palette = await openPalette(page)
    await page.keyboard.type('bra')
    expect(await palette.getByRole('option', { selected: true }).innerText()).toMatch(/^Branch from here/)
    expect(await palette.getByText('in this session').count()).toBe(1)
    await palette.getByRole('combobox').fill('hello from one')
    await palette.getByText('Nothing fits in this session.').waitFor()
    await page.keyboard.press('Tab')
    await palette
      .getByRole('group', { name: 'Sessions' })
      .getByRole('option', { name: /Hello from one/ })
      .first()
      .waitFor()
    for (const [query, group, name] of [
      ['write_file', 'Approvals', /^Review write_file/],
      ['scripted', 'Agents', /^scripted/],
      ['event 3', 'Events', /^Event 3 ?in the timeline/],
    ] as const) {
      await palette.getByRole('combobox').fill(query)
      await palette.getByRole('group', { name: group }).getByRole('option', { name }).first().waitFor()
    }
    await page.keyboard.press('Enter')
    await palette.waitFor({ state: 'detached' })
    expect(new URL(page.url()).search).toBe('?agent=scripted&tab=timeline&event=3')
    await openPalette(page)
    await page.keyboard.type('dark')
    await page.keyboard.press('Enter')
    await page.locator('[data-theme=dark]').waitFor()
    expect(await page.getByRole('button', { name: 'dark' }).getAttribute('aria-pressed')).toBe('true')
    await page.close()
  })

  longTest('[C66] ? shows the keys, and nothing happens while somebody types', async () => {
    const page = await world.open('/')
    await page.locator('[data-row]').first().waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('?gi')
    expect(await page.getByRole('dialog').count()).toBe(0)
    await page.locator('#session-search').fill('')
    await page.getByRole('button', { name: 'Shortcuts' }).click()
    const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await sheet.getByText('Next row').waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('Escape')
    await sheet.waitFor({ state: 'detached' })
    await page.setViewportSize({ width: 390, height: 844 })
    await openPalette(page)
    await expectNoOverflow(page)
    await page.close()
  })

  longTest('[C67] copies as curl and as a command', async () => {
    const page = await world.open('/s/one?agent=scripted', { permissions: ['clipboard-read', 'clipboard-write'] })
    await page.getByLabel('Message').waitFor()
    for (const [query, text] of [
      [
        'pause curl',
        `curl -X POST '${world.url}/sessions/one/pause?agent=scripted' \\\n  -H 'content-type: application/json' \\\n  -d '{}'`,
      ],
      ['events bridle', `bridle attach --agent=scripted --url=${world.url} one`],
      ['link', `${world.url}/s/one?agent=scripted`],
    ] as const) {
      await openPalette(page)
      await page.keyboard.type(query)
      await page.keyboard.press('Enter')
      await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(text)
    }
    await page.close()
  })
})
