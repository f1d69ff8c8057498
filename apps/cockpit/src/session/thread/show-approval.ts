/** Scrolls to the card of an approval and gives it the focus, so that its keys work. */
export const showApproval = (id: string): void => {
  const card = document.getElementById(`approval-${id}`)
  card?.scrollIntoView({ block: 'center' })
  card?.focus({ preventScroll: true })
}
