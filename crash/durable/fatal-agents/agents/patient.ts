// A function whose only step takes longer than the poison needs.
import { setTimeout as sleep } from 'node:timers/promises'
import { agent } from 'bridle'

export default agent({
  name: 'patient',
  run: async ({ session }) => {
    await session.step('slow', async () => {
      await sleep(1_200)
      return 'rested'
    })
    return 'done'
  },
})
