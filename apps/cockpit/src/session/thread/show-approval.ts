/** Scrolls to the card of an approval and gives it the focus, so that its keys work. */
export const showApproval = (id: string): void => {
  const card = document.getElementById(`approval-${id}`)
  card?.scrollIntoView({ block: 'center' })
  card?.focus({ preventScroll: true })
}

/** True where the card of an approval is on the page that is seen: not behind a sheet, nor in a column that is folded away. */
export const canShowApproval = (id: string): boolean =>
  document.querySelector('dialog[open]') === null &&
  document.getElementById(`approval-${id}`)?.checkVisibility() === true
