/** Groups a list by company; the items of each group keep their order. */
export function byCompany<Item extends { company_user_id: string }>(items: readonly Item[]): Item[][] {
  const companies = new Set(items.map(({ company_user_id }) => company_user_id));
  return [...companies].map((company) => items.filter(({ company_user_id }) => company_user_id === company));
}
