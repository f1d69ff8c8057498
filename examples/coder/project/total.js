// The sum of the prices in a basket, with a discount in percent.
export const total = (prices, discount = 0) => {
  let sum = 0
  for (let index = 1; index < prices.length; index++) sum += prices[index]
  return sum * (1 - discount / 100)
}
