import { useEffect, useRef } from 'react'
import { type ActionOffer, offerActions } from './action-store.ts'
import type { ActionId } from './action-table.ts'

/** Offers an action while this part of the page is there. Null = it cannot be done now. */
export const useAction = (
  id: ActionId,
  run: (() => unknown) | null,
  { detail, words, isPageWide = false }: Pick<ActionOffer, 'detail' | 'words' | 'isPageWide'> = {},
): void => {
  const latest = useRef(run)
  latest.current = run
  const isOffered = run !== null
  useEffect(() => {
    if (!isOffered) return
    return offerActions(id, [
      {
        run: () => latest.current?.(),
        isPageWide,
        ...(detail !== undefined && { detail }),
        ...(words !== undefined && { words }),
      },
    ])
  }, [id, isOffered, detail, words, isPageWide])
}

/** The same action upon several things: each offer says which. */
export const useActionList = (id: ActionId, offers: readonly ActionOffer[]): void => {
  const latest = useRef(offers)
  latest.current = offers
  const texts = JSON.stringify(offers.map(({ run: _run, ...rest }) => rest))
  // biome-ignore lint/correctness/useExhaustiveDependencies: everything else says which offers there are
  useEffect(
    () =>
      offerActions(
        id,
        latest.current.map((offer, at) => ({ ...offer, run: () => latest.current[at]?.run() })),
      ),
    [id, texts],
  )
}
