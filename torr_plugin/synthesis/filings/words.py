"""The words that companies, their units and their places are named with. All of them are made up."""

from __future__ import annotations

from dataclasses import dataclass

NAME_STARTS = (
    "Varn", "Quell", "Brindle", "Oster", "Calder", "Merrow", "Tolliv", "Hask", "Pell", "Drovin", "Esker",
    "Fenn", "Garrow", "Ilver", "Jorrin", "Kestr", "Lund", "Morvay", "Norr", "Orrin", "Pravell", "Rusk",
    "Sarrow", "Thal", "Umber", "Wend", "Yarrow", "Zell",
)  # fmt: skip
NAME_ENDS = ("holt", "mark", "wick", "ridge", "stead", "mere", "combe", "vale", "dell", "gate", "ford", "by")
NAME_FORMS = (
    "Industries, Inc.",
    "Holdings, Inc.",
    "Corporation",
    "Group, Inc.",
    "Company",
    "Technologies, Inc.",
)

REGIONS = (
    "United States", "Canada", "Latin America", "Western Europe", "Eastern Europe", "Middle East",
    "Africa", "China", "Japan", "India", "Southeast Asia", "Australia",
)  # fmt: skip

CITIES = (
    "Albany Falls", "Brookhaven Mills", "Cedar Point", "Dunmore", "Eastlake", "Fairbourne", "Granite Bay",
    "Harrow Junction", "Kingsbury", "Lakemont", "Marlow Springs", "Northgate", "Oakhurst", "Pine Ridge",
    "Quarry Hill", "Riverton", "Stonebridge", "Thornfield", "Union Park", "Westbrook",
)  # fmt: skip

UNIT_STARTS = (
    "Coastal",
    "Northern",
    "Precision",
    "Alpine",
    "Summit",
    "Harbor",
    "Prairie",
    "Metro",
    "Pioneer",
    "Crescent",
    "Granite",
    "Delta",
    "Beacon",
    "Cobalt",
    "Evergreen",
    "Frontier",
    "Horizon",
    "Keystone",
    "Lakeside",
    "Meridian",
    "Orchard",
    "Pacific",
    "Redwood",
    "Sterling",
    "Timber",
    "Valley",
    "Willow",
    "Amber",
    "Bluewater",
    "Canyon",
)


@dataclass(frozen=True, slots=True)
class Sector:
    """What companies of a trade make: their segments, what units are called after, products, customers."""

    trade: str
    segments: tuple[str, ...]
    units: tuple[str, ...]
    products: tuple[str, ...]
    customers: tuple[str, ...]
    drivers: tuple[str, ...]


SECTORS = (
    Sector(
        "specialty materials",
        (
            "Performance Coatings",
            "Industrial Adhesives",
            "Engineered Films",
            "Polymer Additives",
            "Filtration Media",
            "Technical Ceramics",
        ),
        ("Coatings", "Adhesives", "Films", "Resins", "Membranes", "Laminates", "Pigments", "Sealants"),
        (
            "architectural finishes",
            "protective primers",
            "structural adhesives",
            "barrier films",
            "filter cartridges",
            "powder coatings",
            "sealants",
            "specialty resins",
        ),
        ("builders", "makers of appliances", "packaging companies", "automotive suppliers"),
        (
            "higher selling prices",
            "larger volumes of protective primers",
            "lower raw material costs",
            "the ramp-up of two new lines",
            "a weaker building market",
        ),
    ),
    Sector(
        "measuring instruments",
        (
            "Laboratory Systems",
            "Process Sensors",
            "Environmental Monitoring",
            "Calibration Services",
            "Imaging Modules",
            "Field Instruments",
        ),
        ("Instruments", "Sensors", "Optics", "Analytics", "Controls", "Metrology", "Imaging", "Diagnostics"),
        (
            "flow meters",
            "gas analyzers",
            "spectrometers",
            "pressure transmitters",
            "calibration contracts",
            "imaging modules",
            "data loggers",
            "probe kits",
        ),
        ("utilities", "hospitals", "chemical plants", "research institutes"),
        (
            "replacement orders from utilities",
            "a richer mix of service contracts",
            "component shortages",
            "new product releases",
            "delayed laboratory budgets",
        ),
    ),
    Sector(
        "consumer goods",
        (
            "Home Care",
            "Personal Care",
            "Pet Nutrition",
            "Kitchen and Dining",
            "Outdoor Living",
            "Specialty Foods",
        ),
        ("Brands", "Naturals", "Foods", "Household", "Essentials", "Pantry", "Gardens", "Pets"),
        (
            "laundry concentrates",
            "hand soaps",
            "dry pet food",
            "cookware sets",
            "garden furniture",
            "breakfast cereals",
            "surface cleaners",
            "storage boxes",
        ),
        ("grocery chains", "online retailers", "discount stores", "pharmacies"),
        (
            "price increases taken in the spring",
            "wider distribution online",
            "higher freight costs",
            "promotional spending by competitors",
            "a smaller number of stores",
        ),
    ),
    Sector(
        "logistics services",
        (
            "Contract Warehousing",
            "Freight Brokerage",
            "Final Mile Delivery",
            "Cold Chain",
            "Port Services",
            "Fleet Leasing",
        ),
        ("Logistics", "Freight", "Carriers", "Terminals", "Storage", "Transport", "Lines", "Express"),
        (
            "pallet storage",
            "truckload brokerage",
            "parcel delivery",
            "refrigerated transport",
            "container handling",
            "trailer leasing",
            "customs filing",
            "returns handling",
        ),
        ("retailers", "food producers", "importers", "manufacturers"),
        (
            "new warehouse contracts",
            "lower spot rates for truckloads",
            "higher wages of drivers",
            "better use of the fleet",
            "the loss of a large customer",
        ),
    ),
    Sector(
        "business software",
        (
            "Payments Platform",
            "Workforce Suite",
            "Supply Planning",
            "Customer Engagement",
            "Data Protection",
            "Public Sector",
        ),
        ("Cloud", "Software", "Platforms", "Networks", "Data", "Payments", "Security", "Learning"),
        (
            "payroll subscriptions",
            "payment processing",
            "planning licenses",
            "support contracts",
            "identity services",
            "training services",
            "backup storage",
            "billing tools",
        ),
        ("banks", "mid-sized manufacturers", "school districts", "health systems"),
        (
            "growth in subscriptions",
            "renewals at higher prices",
            "the end of legacy licenses",
            "larger hosting costs",
            "new customers in the public sector",
        ),
    ),
    Sector(
        "electrical equipment",
        (
            "Power Conversion",
            "Grid Automation",
            "Building Controls",
            "Industrial Motors",
            "Charging Systems",
            "Cable Assemblies",
        ),
        ("Power", "Electric", "Motors", "Switchgear", "Lighting", "Drives", "Energy", "Cables"),
        (
            "transformers",
            "switchgear panels",
            "variable speed drives",
            "charging stations",
            "cable harnesses",
            "lighting controls",
            "battery cabinets",
            "service agreements",
        ),
        ("utilities", "data center operators", "contractors", "machine builders"),
        (
            "demand from data centers",
            "a larger backlog at the start of the year",
            "copper prices",
            "productivity in our plants",
            "lower orders for motors",
        ),
    ),
)
