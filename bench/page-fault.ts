// The first thing that goes wrong on a page ends a measurement with its reason: text that cannot come is not waited for.
import type { Page } from 'playwright-core'

/** Rejects with the first fault: an uncaught error, an error in the console, a refused socket, a crash. */
export const firstFault = (page: Page): Promise<never> => {
  const { promise, reject } = Promise.withResolvers<never>()
  // A page that nobody waits for at the moment fails the next wait.
  promise.catch(() => {})
  const fail = (reason: string) => reject(new Error(`${page.url()}: ${reason}`))
  page.on('pageerror', (error) => fail(`uncaught error: ${error.message}`))
  page.on('crash', () => fail('the page crashed'))
  page.on('websocket', (socket) => {
    socket.on('socketerror', (error) => fail(`the socket ${socket.url()} failed: ${error}`))
  })
  page.on('console', (message) => {
    if (message.type() === 'error') fail(`error in the console: ${message.text()} (${message.location().url})`)
  })
  return promise
}
