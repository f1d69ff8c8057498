// IM_SECRET=… IM_REPLY_URL=http://… npm run example:bot
import { startBot } from './bot.ts'

const { IM_SECRET: secret, IM_REPLY_URL: replyUrl, BRIDLE_AUTH_TOKEN: token, ENGINE_URL, PORT } = process.env
if (!secret) {
  console.error(
    'Set IM_SECRET to the secret that the platform signs its calls with: IM_SECRET=example npm run example:bot',
  )
  process.exit(1)
}

const bot = await startBot({
  url: ENGINE_URL ?? 'http://127.0.0.1:4317/v1/openharness',
  secret,
  port: Number(PORT ?? 4318),
  ...(token && { token }),
  deliver: async (message) => {
    if (!replyUrl) return console.log(JSON.stringify(message))
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(replyUrl, { method: 'POST', headers, body: JSON.stringify(message) })
    if (!response.ok) throw new Error(`The platform answered ${response.status}.`)
  },
})
console.log(`the webhook is ${bot.url}`)
process.once('SIGTERM', () => bot.close())
