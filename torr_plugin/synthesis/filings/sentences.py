"""The sentences of the running text, by topic, with slots for the company's own words."""

from __future__ import annotations

from collections.abc import Mapping

TOPICS: Mapping[str, tuple[str, ...]] = {
    "Demand for our products": (
        "Our sales of {product} depend on how much {customers} spend, and that can change within a quarter.",
        "Orders for {product} from {region} have swung by {small} percent or more from one year to the next.",
        "Customers of {segment} often buy less before a new version of a product is on sale.",
        "A slow year in {region} would leave us with {product} that we may have to sell below cost.",
        "Most of our contracts with {customers} can be ended on {days} days' notice.",
        "We plan our output for {segment} about {small} months ahead, and such forecasts are uncertain.",
        "Where {customers} merge, the merged company tends to ask for lower prices.",
    ),
    "Competition": (
        "We compete with companies that are larger than we are, above all in {region}.",
        "Makers of {product} in {region} have lowered their prices in each of the last {few} years.",
        "New entrants offer {product} on terms that {segment} cannot match at present.",
        "Some {customers} have begun to make {product} themselves.",
        "Our position in {segment} rests on service and delivery times more than on price.",
        "We believe that {segment} holds one of the {few} leading positions for {product} in {region}.",
        "A competitor that bundles {product} with other goods could take orders from {segment}.",
    ),
    "Supply and production": (
        "We buy {days} percent of what {segment} needs from {few} suppliers.",
        "A stop of the plant in {city} for more than {small} weeks would delay deliveries of {product}.",
        "Freight from {region} has become less reliable, so we keep larger stocks in {city}.",
        "The contracts for energy of our site in {city} run for {few} years and cover most of its needs.",
        "Several parts of {product} come from one source, and a second one takes {small} months to qualify.",
        "We moved part of the production of {product} from {city} to a contract manufacturer in {region}.",
        "Scrap rates at {city} fell after we replaced {few} of its lines.",
    ),
    "People": (
        "About {days} percent of our employees are members of a union or covered by a works council.",
        "It takes us {small} weeks on average to fill a position for an engineer in {city}.",
        "The agreement with the employees in {city} ends within {few} years.",
        "Wages in {region} have risen faster than our prices.",
        "We train apprentices in {city}, and {few} of every ten stay with {segment} for over five years.",
        "The loss of key people in {segment} could delay the next version of {product}.",
    ),
    "Currencies and interest rates": (
        "We sell in {region} in local currency and bear part of the costs in dollars.",
        "We hedge about {days} percent of the sales in {region} that we expect for the next year.",
        "A stronger dollar makes {product} dearer for {customers} outside the United States.",
        "Our revolving credit facility bears a variable rate; see the note on long-term debt.",
        "We do not hold derivatives for trading, and our counterparties are banks with a high rating.",
        "Transfers of cash out of {region} can need the consent of an authority.",
    ),
    "Regulation and legal matters": (
        "Rules on the content of {product} differ between {region} and our other markets.",
        "We spend more each year on permits and tests for {product}.",
        "A claim by a former distributor in {region} is pending, and we consider it to be without merit.",
        "The site in {city} is subject to an order to monitor groundwater for another {few} years.",
        "Changes in customs duties between {region} and the United States would cost {segment} more.",
        "We are party to suits in the ordinary course of business, none of which we expect to be material.",
        "Our returns for {few} earlier years are under examination by the tax authorities of {region}.",
    ),
    "Information systems": (
        "The systems of {segment} run in {few} data centers, one of them in {city}.",
        "We found attempts to enter our network in each of the last {few} years; none had a material effect.",
        "The change to one system for orders in {region} is planned to take {small} months.",
        "We insure ourselves against the loss of data up to an amount that may not suffice.",
        "A failure of the software that plans the production of {product} would stop the plant in {city}.",
    ),
    "Research and products": (
        "{segment} released {few} new lines of {product} during the year.",
        "We hold patents on {product} that end between {small} and {days} years from now.",
        "Our laboratory in {city} works with {customers} on the next generation of {product}.",
        "Roughly one in {small} of our development projects leads to a product that we sell.",
        "Customers test {product} for up to {small} months before they place a first order.",
        "Trials of {product} with {customers} in {region} will go on into the next fiscal year.",
    ),
    "Acquisitions": (
        "We bought a maker of {product} in {region} {few} years ago and have joined it to {segment}.",
        "It can take {few} years until an acquired business earns what we paid for it.",
        "We may have to write down goodwill if {segment} sells less than we expect.",
        "The sellers of one business may earn further payments that depend on sales of {product}.",
        "We look for businesses that sell {product} to {customers}, above all in {region}.",
    ),
    "Climate and the environment": (
        "Storms have closed our site in {city} for {few} days in recent years.",
        "Customers in {region} ask for {product} that are made with less energy.",
        "We aim to halve the waste of the plant in {city} within {small} years.",
        "The cost of permits for emissions in {region} may rise.",
        "Water is scarce near {city}, and the plant there reuses most of what it takes.",
    ),
}
"""Topics of the business section and the risk factors."""

POLICIES: Mapping[str, tuple[str, ...]] = {
    "Revenue recognition": (
        "We recognize revenue from {product} when control passes to the customer, as a rule on shipment.",
        "Service contracts of {segment} are recognized evenly over their term.",
        "Rebates to {customers} reduce revenue in the period of the sale.",
        "Payment is due within {days} days, and contracts have no significant financing component.",
        "Where a contract has several promises, its price is allotted by what each would sell for alone.",
    ),
    "Use of estimates": (
        "These statements rest on estimates, and results may differ from them.",
        "The estimates that matter most concern credit losses, slow-moving {product} and income taxes.",
        "We review the useful lives of the machines in {city} every year.",
    ),
    "Property and equipment": (
        "Buildings are depreciated over up to {days} years and machines over up to {small} years.",
        "Repairs are expensed as they occur; improvements of the plant in {city} are capitalized.",
        "Assets under construction are depreciated from the day on which they are ready for use.",
    ),
    "Impairment of long-lived assets": (
        "We test the assets of {segment} when events suggest that their cost may not be recovered.",
        "Goodwill is tested in the fourth quarter, for each segment as a reporting unit.",
        "A fall of {days} percent in the value of {segment} would not have led to a write-down.",
    ),
    "Leases": (
        "We lease offices in {city} and vehicles in {region}; terms run from {few} to {days} years.",
        "Leases of a year or less are not put on the balance sheet.",
        "Payments are discounted at the rate at which we could borrow over a similar term.",
    ),
    "Income taxes": (
        "Deferred taxes are measured at the rates that will apply when differences reverse.",
        "We keep the earnings of our companies in {region} invested there.",
        "A benefit is recognized only if it is more likely than not that a position will be upheld.",
    ),
    "Concentration of credit risk": (
        "No customer made up more than {small} percent of receivables.",
        "We check the credit of {customers} in {region} before we ship {product}.",
        "Cash is held with banks in {region} and in the United States.",
    ),
}
"""Topics of the first note."""

UNIT_TEXT = (
    "{unit} makes {product} and sells them mainly to {customers}.",
    "{unit} is part of {segment} and has its main site in {city}.",
    "Its largest market is {region}, where it has sold {product} for more than {days} years.",
    "The order book of {unit} changes with the budgets of {customers}.",
    "{unit} added a shift in {city} to shorten the delivery times of {product}.",
    "A second supplier for the parts of {product} was qualified during the year.",
    "{unit} competes with {few} larger companies and with many small ones in {region}.",
    "We plan to spend more on the site in {city} over the next {few} years.",
    "Prices of {product} were raised twice, and most customers accepted both increases.",
    "Returns of {product} stayed below {small} percent of deliveries.",
    "The lease of the warehouse near {city} was renewed for {small} years.",
    "About one in {few} orders of {unit} comes from other units of the Company.",
)
"""What is said of a business unit."""

LEADS = (
    "The following table presents {name}:",
    "The following table shows {name}:",
    "The table below sets forth {name}:",
    "The following table summarizes {name}:",
)
"""The sentence before a table. It always has the table's name."""

ROSE = ("increased", "rose", "grew")
FELL = ("decreased", "declined", "fell")
