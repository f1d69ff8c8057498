// An expense from claim to payment: checked by code, approved by a person who may change the sum, paid once, and closed when the bank says so. Each wait
// may last a minute or a month, and the process may end at any time.
import { agent } from 'bridle'
import * as v from 'valibot'
import { type Claim, checkClaim, payOut, recordClaim } from '../bank.ts'

export default agent({
  name: 'expense',
  description: 'Takes an expense from its claim to its payment.',
  triggers: { webhook: true },
  input: v.object({
    employee: v.pipe(v.string(), v.minLength(1)),
    purpose: v.pipe(v.string(), v.minLength(1)),
    euros: v.pipe(v.number(), v.minValue(0.01)),
  }),
  run: async ({ input, session }) => {
    // Done once: after a crash the number comes from the log.
    const claim = await session.step('record', () => recordClaim(input as Claim))
    await session.text(`Claim ${claim.number}: ${input.euros} euros for ${input.purpose}.\n`)
    const remark = checkClaim(input as Claim)
    if (remark !== null) {
      await session.text(`Declined: ${remark}\n`)
      return { status: 'declined', reason: remark }
    }

    const { approved, args, reason } = await session.approval({
      subject: 'pay an expense',
      args: { number: claim.number, euros: input.euros },
      reason: `${input.employee} spent ${input.euros} euros on ${input.purpose}.`,
      expiresMs: 7 * 86_400_000,
    })
    if (!approved) {
      await session.text(`Declined: ${reason ?? 'nobody approved it in a week'}\n`)
      return { status: 'declined', reason: reason ?? null }
    }

    const euros = Number(args.euros)
    // The step key is the same in every attempt: the bank pays once.
    const transfer = await session.tool(
      'pay',
      { number: claim.number, euros },
      (payment, { stepKey }) => payOut(payment.euros, stepKey),
      {
        effect: 'idempotent',
      },
    )
    await session.text(`Transfer ${transfer} of ${euros} euros is on its way.\n`)

    const receipt = await session.waitFor<{ arrived: string }>('transferred', { expiresMs: 14 * 86_400_000 })
    await session.text(receipt ? `Arrived on ${receipt.arrived}.` : 'The bank has not confirmed it in two weeks.')
    return { status: receipt ? 'paid' : 'unconfirmed', euros, transfer }
  },
})
