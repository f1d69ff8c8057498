// The past of a session: its log on a line, and every part of the page as it was at an event.
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { type CockpitWorld, describeCockpit, expectNoOverflow, longTest } from './browser.suite.ts'
import { importLongLog } from './long-log.suite.ts'

const script = [
  { text: 'I look first.' },
  { tool: 'read_file', id: 'first', args: { path: 'a.ts' }, result: 'twelve lines' },
  { tool: 'read_file', id: 'second', args: { path: 'b.ts' }, outcome: 'timeout' },
  { checkpoint: 'half of it' },
  { usage: { input_tokens: 1_000, output_tokens: 200, cost_usd: 0.42 } },
  { approve: 'write_file', id: 'asked', args: { path: 'c.ts', lines: 2 }, reason: 'it writes' },
  { text: ' Now it is written.' },
]

interface PlayedSession {
  /** The number of the first event of a type. */
  readonly numberOf: (type: string) => number
  readonly head: number
}

/** Plays the script, answers its approval with other arguments, and waits for the end. */
const played = async (world: CockpitWorld, id: string): Promise<PlayedSession> => {
  const { client } = world
  await world.play(id, script)
  await expect.poll(async () => (await client.session(id)).approvals.length).toBe(1)
  const [approval] = (await client.session(id)).approvals
  await client.approve(id, approval?.id ?? '', { args: { path: 'c.ts', lines: 3 } })
  await expect.poll(async () => (await client.session(id)).status).toBe('idle')
  const { entries, head } = await client.log(id)
  return { head, numberOf: (type) => entries.find((entry) => entry.type === type)?.seq ?? 0 }
}

const at = (page: Page): string | null => new URL(page.url()).searchParams.get('at')
const banner = (page: Page) => page.getByRole('region', { name: 'The past' })
const slider = (page: Page) => page.getByRole('slider', { name: 'Event' })

describeCockpit('the past', (world) => {
  test('[C31][C32][C35][C36] an address shows the session at an event: thread, strip, inspector, and the answer that came later', async () => {
    const { head, numberOf } = await played(world, 'shown')
    const asked = numberOf('approval_required')
    const page = await world.open(`/s/shown?agent=scripted&at=${asked}`)
    await banner(page).getByText(`Viewing event ${asked} of ${head}`).first().waitFor()
    await banner(page).getByText('Everything on this page is as it was then.').first().waitFor()
    const card = page.getByRole('article', { name: `Approval of write_file as it stood at event ${asked}` })
    await card.getByText(/Approved with edits, lines: 3/).waitFor()
    for (const name of ['Approve', 'Edit', 'Deny'])
      expect(await card.getByRole('button', { name }).isDisabled()).toBe(true)
    const strip = page.getByRole('region', { name: 'At a glance' })
    await strip.getByText('Read only').waitFor()
    await strip.getByText('$0.42').waitFor()
    await strip.getByText('Waiting then').waitFor()
    const calls = page.getByRole('region', { name: 'Calls' })
    await calls.getByRole('button', { name: /waiting.*write_file/ }).waitFor()
    expect(await page.getByText('Now it is written.').count()).toBe(0)
    await page.getByText(`Live is at ${head}`).waitFor()
    // The way to the answer, and on to the present.
    await card.getByRole('button', { name: /^Go to/ }).click()
    await expect.poll(() => at(page)).toBe(String(numberOf('approval_decided')))
    await page.keyboard.press('Escape')
    await expect.poll(() => at(page)).toBe(null)
    await page.getByText('Now it is written.').waitFor()
    expect(await banner(page).count()).toBe(0)
    // Before the first report there is no cost, and before the first call no call.
    await page.goto(`${world.url}/s/shown?agent=scripted&at=${numberOf('turn_start')}`)
    await strip.getByText('unknown').or(strip.getByText('$0.00')).waitFor()
    expect(await calls.count()).toBe(0)
  })

  test('[C30][C34][C37] the cursor moves by pointer and keys, the address follows, and the log plays', async () => {
    const { head } = await played(world, 'moved')
    const page = await world.open('/s/moved?agent=scripted')
    await page.getByText('at the head').waitFor()
    const lane = page.locator('.scrub .lane')
    const { x, y, width, height } = (await lane.boundingBox())!
    await page.mouse.move(x + width / 2, y + height / 2)
    await page.mouse.down()
    await banner(page).waitFor()
    await page.mouse.move(x + 1, y + height / 2, { steps: 4 })
    await banner(page).getByText(`Viewing event 1 of ${head}`).first().waitFor()
    await page.mouse.up()
    await expect.poll(() => at(page)).toBe('1')
    expect(await slider(page).getAttribute('aria-valuetext')).toBe(`Event 1 of ${head}, session_created`)
    await page.keyboard.press(']')
    await page.keyboard.press(']')
    await page.keyboard.press('[')
    await banner(page).getByText('Viewing event 2').first().waitFor()
    await slider(page).focus()
    await page.keyboard.press('ArrowRight')
    await banner(page).getByText('Viewing event 3').first().waitFor()
    await page.keyboard.press('PageUp')
    await page.keyboard.press('Home')
    await banner(page).getByText('Viewing event 1').first().waitFor()
    await page.getByRole('button', { name: 'Play from here' }).click()
    await page.getByRole('button', { name: 'Pause' }).waitFor()
    // Somebody who wants little motion sees the events, and no piece of text.
    await banner(page).getByText('Viewing event 2').first().waitFor()
    await page.keyboard.press('[')
    await page.getByRole('button', { name: 'Play from here' }).waitFor()
    await slider(page).focus()
    await page.keyboard.press('End')
    await page.getByText('at the head').waitFor()
    expect(await slider(page).getAttribute('aria-valuetext')).toBe(`Event ${head} of ${head}, live`)
  })

  longTest('[C38] a prompt in the past becomes a branch at the event, and the session stays as it is', async () => {
    const { head, numberOf } = await played(world, 'branched')
    const seq = numberOf('session_checkpoint')
    const page = await world.open(`/s/branched?agent=scripted&at=${seq}`)
    const field = page.getByRole('textbox', { name: 'Message for a branch' })
    await field.fill('@script [{"text":"another way"}]')
    await field.press('Control+Enter')
    await page.getByText('another way').waitFor()
    const idOf = (): string => new URL(page.url()).pathname.split('/').at(-1) ?? ''
    await expect.poll(idOf).not.toBe('branched')
    const id = idOf()
    const made = await world.client.chat(id, 'scripted')
    expect([made.parent_session_id, made.branch_source_event_id]).toEqual(['branched', `ev-${seq}`])
    expect((await world.client.log('branched')).head).toBe(head)
    // The key does the same, without a prompt.
    await page.goto(`${world.url}/s/branched?agent=scripted&at=3`)
    await banner(page).waitFor()
    await page.keyboard.press('b')
    await page.getByText('This is the branch from event 3.').waitFor()
    expect(at(page)).toBe(null)
  })

  longTest(
    '[C31][C33] a cursor that no log has says so, and new events join the log of a page that looks back',
    async () => {
      await played(world, 'grown')
      const page = await world.open('/s/grown?agent=scripted&at=999999')
      const problem = page.getByRole('alert')
      await problem.getByText(/There is no event 999999: the log ends at \d+/).waitFor()
      await page.getByRole('region', { name: 'Thread' }).getByText('Now it is written.').waitFor()
      await problem.getByRole('button', { name: /Back to live/ }).click()
      expect(at(page)).toBe(null)
      for (const [text, sentence] of [
        ['abc', 'The address names no event'],
        ['4~7', 'belongs to an earlier log'],
      ]) {
        await page.goto(`${world.url}/s/grown?agent=scripted&at=${text}`)
        await page.getByText(sentence ?? '').waitFor()
      }
      await page.goto(`${world.url}/s/grown?agent=scripted&at=4`)
      await banner(page).waitFor()
      await world.ask('scripted', 'grown', '@script [{"text":"more"}]')
      const { head } = await world.client.log('grown')
      await banner(page).getByText(`Viewing event 4 of ${head}`).first().waitFor()
      await page.getByText(`Live is at ${head}`).waitFor()
      await page.setViewportSize({ width: 390, height: 844 })
      await expectNoOverflow(page)
    },
  )

  longTest('[C30][C31] a phone has no line, and looks back by the search and by the buttons of the past', async () => {
    const { head } = await played(world, 'small')
    const page = await world.open('/s/small?agent=scripted', { viewport: { width: 390, height: 844 } })
    await page.getByText('Now it is written.').waitFor()
    expect(await slider(page).count()).toBe(0)
    const choose = async (query: string, row: RegExp) => {
      await page.getByRole('button', { name: 'More' }).click()
      const more = page.getByRole('dialog', { name: 'More' })
      await more.getByRole('button', { name: /Search/ }).click()
      await page.getByRole('dialog', { name: 'Search or run' }).getByRole('combobox').fill(query)
      await page.getByRole('option', { name: row }).click()
    }
    await choose('previous', /Previous event/)
    await expect.poll(() => at(page)).toBe(String(head - 1))
    await choose('5', /the session as it was/)
    await expect.poll(() => at(page)).toBe('5')
    await banner(page).getByRole('button', { name: 'Next event' }).click()
    await expect.poll(() => at(page)).toBe('6')
    await choose('play', /Play, or pause/)
    await expect.poll(() => Number(at(page) ?? head)).toBeGreaterThan(6)
    expect(await slider(page).count()).toBe(0)
  })

  longTest('[C252] a page that still loads its past has no control that acts on the present', async () => {
    await world.play('loading', [{ text: 'at work' }, { sleepMs: 600_000 }])
    const page = await world.open('/s/loading?agent=scripted')
    await page.getByRole('button', { name: /^Pause/ }).waitFor()
    let letGo = (): void => {}
    const held = new Promise<void>((resolve) => {
      letGo = resolve
    })
    await page.route('**/sessions/loading/log*', async (route) => {
      await held
      await route.continue()
    })
    await page.goto(`${world.url}/s/loading?agent=scripted&at=3`)
    await page.getByText('Loading the log').waitFor()
    await page.getByText('at work').first().waitFor()
    for (const name of [/^Pause/, /^Stop/, /^Send/, /^Queue/])
      for (const button of await page.getByRole('button', { name }).all()) expect(await button.isDisabled()).toBe(true)
    // Neither do keys act.
    await page.keyboard.press('p')
    letGo()
    await banner(page).getByText('Viewing event 3').first().waitFor()
    expect((await world.client.session('loading')).status).toBe('running')
    await world.client.cancel('loading')
  })

  longTest('[C253] a key that is held acts once, and steps again and again', async () => {
    const { head } = await played(world, 'held')
    await world.play('held-run', [{ text: 'at work' }, { sleepMs: 600_000 }])
    const page = await world.open('/s/held-run?agent=scripted')
    await page.getByRole('button', { name: /^Pause/ }).waitFor()
    for (let turn = 0; turn < 5; turn += 1) {
      await page.keyboard.down('p')
      await page.getByRole('button', { name: /^Resume/ }).waitFor()
    }
    await page.keyboard.up('p')
    expect((await world.client.session('held-run')).status).toBe('paused')
    await world.client.cancel('held-run')
    await page.goto(`${world.url}/s/held?agent=scripted&at=2`)
    await banner(page).waitFor()
    for (let turn = 0; turn < 4; turn += 1) await page.keyboard.down(']')
    await page.keyboard.up(']')
    await banner(page).getByText(`Viewing event 6 of ${head}`).first().waitFor()
  })

  longTest(
    '[C251] a drag over a log of a hundred thousand events ends at its event, with a page that is as it was then',
    async () => {
      const words = Array.from({ length: 5_000 }, (_, index) => ({ type: 'token', payload: { text: `${index} ` } }))
      const turns = { 'drag-one': 2, 'drag-two': 20, 'drag-three': 2 }
      for (const [id, length] of Object.entries(turns))
        await importLongLog(
          world.client,
          id,
          Array.from({ length }, () => words),
        )
      const { head } = await world.client.log('drag-two', { limit: 1 })
      const page = await world.open(`/s/drag-two?agent=scripted&at=${head - 1}`)
      await banner(page).waitFor({ timeout: 50_000 })
      const { x, y, width, height } = (await page.locator('.scrub .lane').boundingBox())!
      await page.mouse.move(x + width - 2, y + height / 2)
      await page.mouse.down()
      await page.mouse.move(x + width / 4, y + height / 2, { steps: 60 })
      await page.mouse.up()
      const seq = Number(await slider(page).getAttribute('aria-valuenow'))
      await banner(page).getByText(`Viewing event ${seq} of ${head}`).first().waitFor()
      await expect.poll(() => at(page)).toBe(String(seq))
      // The last word is that of the event: one event begins the log, three a turn, and one ends it.
      const word = ((seq - 2) % (words.length + 4)) - 3
      await page
        .getByText(new RegExp(`\\b${word} ?$`))
        .first()
        .waitFor()
    },
  )

  longTest('[C33] a log of twenty thousand events is shown at its first and at its last ones', async () => {
    const words = Array.from({ length: 20_000 }, (_, index) => ({ type: 'token', payload: { text: `${index} ` } }))
    await importLongLog(world.client, 'long', [words])
    const { head } = await world.client.log('long')
    const page = await world.open(`/s/long?agent=scripted&at=${head - 1}`)
    await banner(page)
      .getByText(`Viewing event ${head - 1} of ${head}`)
      .waitFor()
    await page.getByText('19999').first().waitFor()
    await page.goto(new URL('/s/long?agent=scripted&at=2', world.url).href)
    await banner(page).getByText(`Viewing event 2 of ${head}`).first().waitFor()
    expect(await page.getByText('19999').count()).toBe(0)
  })
})
