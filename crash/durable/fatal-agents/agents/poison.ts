// A function that ends its process a moment after it began, as one does that runs out of memory.
import { setTimeout as sleep } from 'node:timers/promises'
import { agent } from 'bridle'

export default agent({
  name: 'poison',
  run: async () => {
    await sleep(300)
    process.kill(process.pid, 'SIGKILL')
  },
})
