// The first minute of somebody who has never seen Bridle.
import { expect, test } from 'vitest'
import { variants } from '../../../scripts/variants.ts'
import { describeCockpit, expectNoOverflow } from './browser.suite.ts'

/** Nothing is cut: the values of cost and health, and the words beside them. */
const WHOLE = [0, 0, 0, 0]

describeCockpit('the first run', (world) => {
  test('an empty cockpit offers the tour, which shows streaming, a tool, an approval, health and a branch', async () => {
    const page = await world.open('/')
    await page.getByText('Nothing has run here yet').waitFor()
    await page.getByRole('searchbox').waitFor({ state: 'detached' })
    await expectNoOverflow(page)
    await page.getByText(`npx bridle run --url=${world.url} scripted Hello`, { exact: true }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/s\/tour-/)
    const tour = page.getByRole('region', { name: 'Tour' })
    await tour.getByText('The run waits for you').waitFor({ timeout: 40_000 })
    await page.getByText('src/http/retry.ts').first().waitFor()
    // On a small laptop, with both buttons beside it, the cost, its budget and the findings of health stay in their cells.
    await page.setViewportSize({ width: 1280, height: 800 })
    const cut = `[...document.querySelectorAll('.strip .cell')].filter((cell) => /^(Cost|Health)/.test(cell.innerText))
      .flatMap((cell) => [...cell.querySelectorAll('.v, .v .trunc')])
      .map((each) => each.scrollWidth - each.clientWidth)`
    expect(await page.evaluate(cut)).toEqual(WHOLE)
    // Pause and Branch are whole at any width that has them.
    const acts = page.getByRole('region', { name: 'At a glance' })
    for (const width of variants([1279, 1169, 800], [1200, 1170, 1024])) {
      await page.setViewportSize({ width, height: 800 })
      for (const name of ['Pause', 'Branch']) {
        const { x, width: own } = (await acts.getByRole('button', { name }).boundingBox())!
        expect([width, name, x + own <= width]).toEqual([width, name, true])
      }
      expect([width, await page.evaluate(cut)]).toEqual([width, WHOLE])
    }
    await page.setViewportSize({ width: 1280, height: 800 })
    // The strip and the inspector count the plan in the same way, also the steps that the agent has not reported yet.
    await page.getByRole('region', { name: 'At a glance' }).getByText('step 2 of 3', { exact: true }).waitFor()
    await page.getByRole('region', { name: 'Plan' }).getByText('step 2 of 3', { exact: true }).waitFor()
    // A branch from anywhere else is no step of the tour, leads back to it, and goes with it.
    const first = page.url()
    await page.getByRole('region', { name: 'At a glance' }).getByRole('button', { name: 'Branch' }).click()
    await tour.getByText('a branch of the tour’s session').waitFor()
    expect(await tour.getByText('You branch from it, done').count()).toBe(0)
    expect(await tour.getByText('You approve a call, done').count()).toBe(0)
    await tour.getByRole('button', { name: 'Back to the tour' }).click()
    await tour.getByText('The run waits for you').waitFor()
    expect(await tour.getByText('You branch from it, done').count()).toBe(0)
    await page
      .getByRole('button', { name: /^Approve/ })
      .first()
      .click()
    await tour.getByRole('button', { name: 'Show health' }).click()
    await page.getByRole('tab', { name: /Health/, selected: true }).waitFor()
    await tour.getByRole('button', { name: 'Branch from the checkpoint' }).click()
    await page.waitForURL((url) => url.pathname !== new URL(first).pathname)
    await page.getByText('The first one is as it was').last().waitFor()
    await tour.getByText('That was the tour').waitFor()
    expect(await tour.getByText('You branch from it, done').count()).toBe(1)
    // The branch left the second step under way: nothing failed.
    await page.getByRole('tab', { name: /Timeline/ }).click()
    const plan = page.getByRole('region', { name: 'Plan' })
    await plan.getByRole('listitem').filter({ hasText: 'Lower the limit' }).getByText('stopped').waitFor()
    expect(await plan.getByText('failed').count()).toBe(0)
    expect((await world.client.sessions()).sessions).toHaveLength(3)
    // A session that somebody named like it is none of the tour's.
    await world.play('tour-of-the-garden', [{ text: 'Roses.' }])
    const other = await world.open('/s/tour-of-the-garden?agent=scripted')
    await other.getByText('Roses.').first().waitFor()
    expect(await other.getByRole('region', { name: 'Tour' }).count()).toBe(0)
    await world.client.remove('scripted', 'tour-of-the-garden')
    await tour.getByRole('button', { name: /End the tour/ }).click()
    await page.getByText('Nothing has run here yet').waitFor()
    expect((await world.client.sessions()).sessions).toEqual([])
  })
})
